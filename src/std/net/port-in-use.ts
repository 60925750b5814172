import { readFile, stat } from "node:fs/promises";
import { isListening } from "./is-listening.ts";

/**
 * Whether a program of the machine listens at a port of an address, or of all addresses. `netns` is the file of a network
 * namespace; of others than the machine's own it is not known, and false.
 */
export async function isPortInUse(port: number, host: string, netns: string): Promise<boolean> {
  const machine = "/proc/1";
  const inodes = [netns, `${machine}/ns/net`].map((file) => stat(file).then(({ ino }) => ino));
  const [wanted, found] = await Promise.all(inodes).catch(() => [0, 1]);
  if (wanted !== found) return false;
  const file = `${machine}/net/${host.includes(":") ? "tcp6" : "tcp"}`;
  return isListening(await readFile(file, "utf8").catch(() => ""), port, host);
}
