/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/profiling.go. */
import { writeFileSync } from "node:fs";
import { type ProfileKind, startProfile as start } from "#/std/process/profile.ts";
import { CommandError } from "./errors.ts";

/** The profiles that Node supports; it has none of goroutines, threads and locks. */
const kinds: ReadonlyMap<string, ProfileKind | undefined> = new Map([
  ["cpu", "cpu"],
  ["trace", "cpu"],
  ["heap", "heap"],
  ["goroutine", undefined],
  ["threadcreate", undefined],
  ["block", undefined],
  ["mutex", undefined],
]);

/** Profiles the process until it is disposed; the file is in V8's format. */
export async function startProfile(name: string, file: string): Promise<AsyncDisposable> {
  if (!kinds.has(name)) throw new CommandError(`unknown profile '${name}'`);
  const kind = kinds.get(name);
  const running = kind && (await start(kind));
  return {
    async [Symbol.asyncDispose]() {
      using profile = running;
      writeFileSync(file, JSON.stringify((await profile?.finish()) ?? {}));
    },
  };
}
