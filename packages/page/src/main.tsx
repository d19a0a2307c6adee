import { render } from "preact"
import "./page.css"
import { connect } from "./wire/client.ts"
import { takeToken } from "./wire/token.ts"
import { App } from "./view/app.tsx"
import { NoToken } from "./view/empty.tsx"

const place = document.getElementById("page")
if (place !== null) {
  const token = takeToken()
  place.replaceChildren()
  render(token === null ? <NoToken /> : <App client={connect(token)} />, place)
}
