import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, Server } from "node:net";

/** Opens a listening socket and sends it to its parent: a socket stays in the network namespace in which it was made. */
const helper = `
const server = require("node:net").createServer();
const end = (message, handle) => process.send(message, handle, () => process.exit());
server.on("error", ({ code }) => end({ code }));
server.listen({ port: Number(process.argv[1]), host: process.argv[2] }, () => end({}, server));
`;

/** Codes of listen() if the port is another program's, or if the machine lacks the address. */
const expected = ["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "EAFNOSUPPORT"];

/** Listens at a port, in another network namespace if its file is given; undefined if the port is not free. */
export async function listenAt(
  port: number,
  host: string,
  netns: string,
): Promise<Server | undefined> {
  try {
    return netns === "" ? await listenHere(port, host) : await listenThere(port, host, netns);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (expected.includes(code)) return undefined;
    throw error;
  }
}

async function listenHere(port: number, host: string): Promise<Server> {
  const server = createServer();
  server.listen({ port, host });
  await once(server, "listening");
  return server;
}

async function listenThere(port: number, host: string, netns: string): Promise<Server> {
  const node = [process.execPath, "-e", helper, String(port), host];
  const child = spawn("nsenter", [`--net=${netns}`, ...node], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  child.once("error", reject);
  child.once("exit", (status) => reject(new Error(`nsenter ended with status ${status}`)));
  child.once("message", (message: { readonly code?: string }, handle: unknown) => {
    if (handle instanceof Server) resolve(handle);
    else reject(Object.assign(new Error("failed to listen"), { code: message.code }));
  });
  return await promise;
}
