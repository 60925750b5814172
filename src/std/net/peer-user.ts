import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type Ends, findPeerUser } from "./find-peer-user.ts";

/** Files of the kernel with the sockets of a network namespace: their users are those who have opened them. */
const files = ["/proc/net/tcp", "/proc/net/tcp6"];
/** Limits of these files (bytes): 150 for each socket; and of the time to read them (ms). */
const maxBytes = 64 << 20;
const answerMs = 10_000;
const run = promisify(execFile);

/**
 * The user (uid) whose program is at the other end of a connection within this machine; undefined if that is not known, or is
 * no longer. `netns` is the file of the network namespace in which the connection is, "" for that of this process.
 */
export async function peerUser(ends: Ends, netns = ""): Promise<number | undefined> {
  const text = netns === "" ? await readHere() : await readThere(netns);
  return findPeerUser(text, ends);
}

async function readHere(): Promise<string> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  return texts.join("");
}

async function readThere(netns: string): Promise<string> {
  const options = { maxBuffer: maxBytes, timeout: answerMs };
  const { stdout } = await run("nsenter", [`--net=${netns}`, "cat", ...files], options);
  return stdout;
}
