/** Upstream: k8s.io/kubectl/pkg/cmd/profiling.go. */
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { CommandError } from "./errors.ts";

interface Profile {
  readonly start: (session: Session) => Promise<void>;
  readonly finish: (session: Session) => Promise<object>;
}

const cpu: Profile = {
  async start(session) {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
  },
  finish: async (session) => (await session.post("Profiler.stop")).profile,
};

const heap: Profile = {
  start: (session) => session.post("HeapProfiler.startSampling"),
  finish: async (session) => (await session.post("HeapProfiler.stopSampling")).profile,
};

const nothing: Profile = { start: async () => undefined, finish: async () => ({}) };

/** What can be told of a process of Node; of goroutines, threads and locks there is nothing to tell. */
const profiles: Readonly<Record<string, Profile>> = {
  cpu,
  trace: cpu,
  heap,
  goroutine: nothing,
  threadcreate: nothing,
  block: nothing,
  mutex: nothing,
};

/** Profiles the process until it is disposed of; the file is in the format of V8's tools. */
export async function startProfile(name: string, file: string): Promise<AsyncDisposable> {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile) throw new CommandError(`unknown profile '${name}'`);
  const session = new Session();
  session.connect();
  await profile.start(session);
  return {
    async [Symbol.asyncDispose]() {
      writeFileSync(file, JSON.stringify(await profile.finish(session)));
      session.disconnect();
    },
  };
}
