import type { RecordedObject } from "../recorded-reader.ts";

/** The time of the diagnoses. */
export const now = "2026-01-01T00:10:00Z";
/** Half a minute, and nine minutes before it. */
export const recent = "2026-01-01T00:09:30Z";
export const early = "2026-01-01T00:01:00Z";

/** Objects, the first of which is asked about, and what the first line must say. */
export interface Case {
  /** The name of the cause; "healthy" or "progressing" if there must be none. */
  readonly cause: string;
  readonly objects: readonly RecordedObject[];
  readonly says: RegExp;
  readonly logs?: Readonly<Record<string, string>>;
  readonly closed?: readonly string[];
  readonly loopback?: readonly string[];
  readonly forbidden?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

export function recorded(
  apiVersion: string,
  kind: string,
  fields: Fields = {},
  metadata: Fields = {},
): RecordedObject {
  const name = typeof metadata["name"] === "string" ? metadata["name"] : "web";
  return {
    apiVersion,
    kind,
    ...fields,
    metadata: {
      namespace: "default",
      uid: `uid-${name}`,
      creationTimestamp: early,
      ...metadata,
      name,
    },
  };
}

/** An object that is in no namespace. */
export function clusterWide(
  apiVersion: string,
  kind: string,
  fields: Fields = {},
  metadata: Fields = {},
): RecordedObject {
  const { namespace: _, ...kept } = recorded(apiVersion, kind, fields, metadata).metadata;
  return { apiVersion, kind, ...fields, metadata: { ...kept, name: String(kept["name"]) } };
}

/** An event about an object of kind and name. */
export const event = (
  about: string,
  reason: string,
  message: string,
  more: Fields = {},
): RecordedObject => {
  const [kind = "", name = ""] = about.split("/");
  return recorded(
    "v1",
    "Event",
    {
      involvedObject: { kind, name },
      reason,
      message,
      type: "Warning",
      firstTimestamp: early,
      lastTimestamp: recent,
      count: 3,
      source: { component: "kubelet" },
      ...more,
    },
    { name: `${name}.${reason}` },
  );
};

export const condition = (type: string, status: string, reason = "", message = ""): Fields => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: early,
});

export const container = (fields: Fields = {}): Fields => ({
  name: "app",
  image: "nginx:1.99",
  ...fields,
});

/** A Pod with one container and its status. */
export const pod = (
  status: Fields,
  spec: Fields = {},
  one: Fields = {},
  metadata: Fields = {},
): RecordedObject =>
  recorded(
    "v1",
    "Pod",
    {
      spec: { nodeName: "n1", restartPolicy: "Always", containers: [container(one)], ...spec },
      status: { phase: "Pending", startTime: early, ...status },
    },
    { labels: { app: "web" }, ...metadata },
  );

const containerStatus = (fields: Fields): Fields => ({
  containerStatuses: [{ name: "app", ready: false, restartCount: 0, ...fields }],
});

/** A Pod whose container waits. */
export const waiting = (
  reason: string,
  message = "",
  spec: Fields = {},
  one: Fields = {},
): RecordedObject => pod(containerStatus({ state: { waiting: { reason, message } } }), spec, one);

/** A Pod whose container has ended five times, and waits to be started again. */
export const crashed = (terminated: Fields, one: Fields = {}): RecordedObject =>
  pod(
    {
      phase: "Running",
      ...containerStatus({
        restartCount: 5,
        containerID: "c",
        state: {
          waiting: {
            reason: "CrashLoopBackOff",
            message: "back-off 2m40s restarting failed container=app",
          },
        },
        lastState: {
          terminated: { exitCode: 1, reason: "Error", finishedAt: recent, ...terminated },
        },
      }),
    },
    {},
    one,
  );

/** A Pod whose container runs, and is not ready. */
export const unready = (one: Fields, more: Fields = {}, spec: Fields = {}): RecordedObject =>
  pod(
    {
      phase: "Running",
      conditions: [condition("Ready", "False", "ContainersNotReady")],
      ...containerStatus({
        containerID: "c",
        started: true,
        state: { running: { startedAt: early } },
        ...more,
      }),
    },
    spec,
    one,
  );

/** A Pod that the scheduler has rejected. */
export const unschedulable = (
  message: string,
  spec: Fields = {},
  one: Fields = {},
): RecordedObject =>
  pod(
    {
      startTime: undefined,
      conditions: [condition("PodScheduled", "False", "Unschedulable", message)],
    },
    { nodeName: undefined, ...spec },
    one,
  );

export const readyPod = (metadata: Fields = {}, spec: Fields = {}): RecordedObject =>
  pod(
    {
      phase: "Running",
      conditions: [condition("Ready", "True")],
      ...containerStatus({
        ready: true,
        containerID: "c",
        state: { running: { startedAt: early } },
      }),
    },
    spec,
    {},
    metadata,
  );

export const node = (fields: Fields = {}, metadata: Fields = {}): RecordedObject =>
  clusterWide(
    "v1",
    "Node",
    {
      spec: {},
      status: {
        allocatable: { cpu: "2", memory: "4Gi", pods: "110" },
        conditions: [condition("Ready", "True")],
      },
      ...fields,
    },
    { name: "n1", ...metadata },
  );
