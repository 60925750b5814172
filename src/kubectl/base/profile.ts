/** Upstream: k8s.io/kubectl/pkg/cmd/profiling.go. */
import { writeFileSync } from "node:fs";
import { type ProfileKind, startProfile as start } from "#/std/process/profile.ts";
import { CommandError } from "./errors.ts";

/** What can be told of a process of Node; of goroutines, threads and locks there is nothing to tell. */
const kinds: ReadonlyMap<string, ProfileKind | undefined> = new Map([
  ["cpu", "cpu"],
  ["trace", "cpu"],
  ["heap", "heap"],
  ["goroutine", undefined],
  ["threadcreate", undefined],
  ["block", undefined],
  ["mutex", undefined],
]);

/** Profiles the process until it is disposed of; the file is in the format of V8's tools. */
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
