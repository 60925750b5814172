import { readFile, stat } from "node:fs/promises";
import { isListening } from "./is-listening.ts";

/** Processes that are in the machine's network: the first, and the supervisor of this one, as not all may look at the first. */
const ofMachine = (): string[] => ["/proc/1", `/proc/${process.ppid}`];

/**
 * Whether a program listens at a port of an address, or of all addresses. `netns` is the file of a network namespace; of
 * others than the machine's own it is not known, and false.
 */
export async function isPortInUse(port: number, host: string, netns: string): Promise<boolean> {
  const wanted = await namespaceOf(netns);
  for (const process of ofMachine()) {
    if (wanted === undefined || (await namespaceOf(`${process}/ns/net`)) !== wanted) continue;
    const file = `${process}/net/${host.includes(":") ? "tcp6" : "tcp"}`;
    return isListening(await readFile(file, "utf8").catch(() => ""), port, host);
  }
  return false;
}

const namespaceOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ ino }) => ino,
    () => undefined,
  );
