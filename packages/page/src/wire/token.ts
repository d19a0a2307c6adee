const place = "galley-token"

/**
 * The token this page was opened with: taken out of the address at once, so that it is in no history and on no screen share, and
 * kept for this origin (its port included), so that other tabs and a restarted server need no new address.
 */
export function takeToken(): string | null {
  const given = /(?:^#|&)token=([\w-]+)&?/.exec(location.hash)
  if (given?.[1] !== undefined) {
    const rest = location.hash.replace(given[0], "#").replace(/^##/, "#")
    history.replaceState(null, "", rest === "#" ? location.pathname : rest)
    try {
      localStorage.setItem(place, given[1])
    } catch {
      // Storage may be switched off; the page then works until it is reloaded.
    }
    return given[1]
  }
  try {
    return localStorage.getItem(place)
  } catch {
    return null
  }
}
