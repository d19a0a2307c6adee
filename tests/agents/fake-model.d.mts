/** Starts the server on a loopback port; every request is kept in `folder` as a file of its own, keys left out. Gives how to stop it. */
export function startFakeModel(port: number, folder: string): Promise<() => void>
