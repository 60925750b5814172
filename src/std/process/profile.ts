import { Session } from "node:inspector/promises";

/** A profile of V8: processor time, origin of live objects, or all allocations. */
export type ProfileKind = "cpu" | "heap" | "allocations";

/** A running profile. */
interface RunningProfile extends Disposable {
  /** Ends it, and returns it in the format of V8's tools. */
  finish(): Promise<object>;
}

const commands = {
  cpu: {
    start: async (session: Session) => {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
    },
    stop: (session: Session) => session.post("Profiler.stop"),
  },
  heap: {
    start: (session: Session) => session.post("HeapProfiler.startSampling"),
    stop: (session: Session) => session.post("HeapProfiler.stopSampling"),
  },
  allocations: {
    start: (session: Session) =>
      session.post("HeapProfiler.startSampling", {
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      }),
    stop: (session: Session) => session.post("HeapProfiler.stopSampling"),
  },
};

/** Starts a profile; an unfinished one is discarded. */
export async function startProfile(kind: ProfileKind): Promise<RunningProfile> {
  const session = new Session();
  session.connect();
  await commands[kind].start(session);
  return {
    finish: async () => (await commands[kind].stop(session)).profile,
    [Symbol.dispose]: () => session.disconnect(),
  };
}
