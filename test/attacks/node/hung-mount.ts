import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, read, readSync, writeSync } from "node:fs";

/** Why no mount can hang here; undefined if it can. */
export function hungMountProblem(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  return existsSync("/dev/fuse") ? undefined : "needs /dev/fuse";
}

/** A mount whose server never answers: every access waits, as with a dead NFS server. Disposing it ends the waits. */
export function hungMount(target: string): Disposable & { release(): void; takeRequests(): void } {
  mkdirSync(target, { recursive: true });
  const device = openSync("/dev/fuse", "r+");
  const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
  execFileSync("mount", ["--no-canonicalize", "-i", "-t", "fuse", "-o", options, "hung", target], {
    stdio: ["ignore", "ignore", "inherit", device],
  });
  let isHung = true;
  const release = () => {
    if (isHung) closeSync(device);
    isHung = false;
  };
  return {
    release,
    /** The server takes all requests: their callers can't be killed before the answer. */
    takeRequests: () => takeRequests(device),
    [Symbol.dispose]() {
      release();
      execFileSync("umount", ["--no-canonicalize", "-l", target], { stdio: "ignore" });
    },
  };
}

/** Answers the kernel's first message, FUSE_INIT, and takes all later ones. */
function takeRequests(device: number): void {
  const request = Buffer.alloc(1 << 16);
  readSync(device, request);
  const answer = Buffer.alloc(16 + 64);
  answer.writeUInt32LE(answer.length, 0);
  request.copy(answer, 8, 8, 16); // Its number.
  answer.writeUInt32LE(7, 16); // The protocol's version: 7.31.
  answer.writeUInt32LE(31, 20);
  answer.writeUInt32LE(4096, 36); // Limit of a write.
  writeSync(device, answer);
  const takeNext = () => read(device, request, (error) => error ?? takeNext());
  takeNext();
}
