import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, Server } from "node:net";
import { isPortInUse } from "./port-in-use.ts";

/**
 * Opens a listening socket and sends it to its parent: a socket stays in the network namespace in which it was made.
 * It ends with its standard input, which its parent closes. One that ends by itself may be gone before the parent has
 * read the message, and the socket in it would stay open in a parent that does not know of it; and a parent that is
 * killed does not close the channel in a way that is always noticed.
 */
const helper = `
const end = () => process.exit();
process.stdin.on("end", end).on("error", end).resume();
const send = (message, handle) => process.send(message, handle, (error) => error && end());
const server = require("node:net").createServer();
server.on("error", ({ code }) => send({ code }));
server.listen({ port: Number(process.argv[1]), host: process.argv[2] }, () => send({}, server));
`;

/** Limit of the time of a helper (ms): it takes some tens, on a busy machine a second. */
const helperMs = 30_000;

/** Codes of listen() if the port is another program's, or if the machine lacks the address. */
const expected = ["EADDRINUSE", "EADDRNOTAVAIL", "EACCES", "EAFNOSUPPORT"];

/** Listens at a port, in another network namespace if its file is given; undefined if the port is not free. */
export async function listenAt(
  port: number,
  host: string,
  netns: string,
): Promise<Server | undefined> {
  // A helper is two processes, and finds out nothing more.
  if (netns !== "" && (await isPortInUse(port, host, netns))) return undefined;
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
    stdio: ["pipe", "ignore", "inherit", "ipc"],
    timeout: helperMs,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  let failure: Error | undefined;
  let server: Server | undefined;
  let hasEnded = false;
  child.once("error", reject);
  child.stdin?.on("error", () => undefined);
  child.once("message", (message: { readonly code?: string }, handle: unknown) => {
    if (handle instanceof Server) server = handle;
    // The helper was killed, and its end was seen first: nothing may stay open that the caller does not know of.
    if (hasEnded) server?.close();
    if (!server) failure = Object.assign(new Error("failed to listen"), { code: message.code });
    child.stdin?.end();
  });
  // The helper has the socket as well, and would take connections, until it has ended.
  child.once("exit", (status) => {
    hasEnded = true;
    if (server) resolve(server);
    else reject(failure ?? new Error(`nsenter ended with status ${status}`));
  });
  return await promise;
}
