import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";

/** Why no mount can hang here; undefined if it can. */
export function hungMountProblem(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  return existsSync("/dev/fuse") ? undefined : "needs /dev/fuse";
}

/** A mount whose server never answers: every access waits, as with a dead NFS server. Disposing it ends the waits. */
export function hungMount(target: string): Disposable & { release(): void } {
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
    [Symbol.dispose]() {
      release();
      execFileSync("umount", ["--no-canonicalize", "-l", target], { stdio: "ignore" });
    },
  };
}
