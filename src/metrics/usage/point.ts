import { Quantity } from "#/machinery/values/quantity.ts";

/** The usage of a node or container at a time. Times are milliseconds since 1970. */
export interface Point {
  /** The start of the container, when it had used nothing; -Infinity for a node. */
  readonly startMs: number;
  readonly timeMs: number;
  /** Processor time since the start (nanoseconds). */
  readonly cpuNanos: number;
  readonly memoryBytes: number;
}

/** The points of one node and of the containers of its Pods. */
export interface NodePoints {
  /** Undefined if the kubelet does not report the whole of it. */
  readonly node: Point | undefined;
  /** By "namespace/name" of the Pod, then by container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Point>>;
}

/** The usage between two points. */
export interface Usage {
  readonly timeMs: number;
  readonly windowMs: number;
  readonly usage: { readonly cpu: string; readonly memory: string };
}

/**
 * The usage between two points; undefined if the counter has been reset between them.
 *
 * Upstream: sigs.k8s.io/metrics-server, pkg/storage/types.go.
 */
export function usageBetween(previous: Point, last: Point): Usage | undefined {
  if (last.startMs < previous.startMs || last.cpuNanos < previous.cpuNanos) return undefined;
  const windowMs = last.timeMs - previous.timeMs;
  const nanosPerSecond = Math.trunc((last.cpuNanos - previous.cpuNanos) / (windowMs / 1000));
  return {
    timeMs: last.timeMs,
    windowMs,
    usage: {
      cpu: new Quantity(BigInt(nanosPerSecond), -9, "DecimalSI").toString(),
      memory: new Quantity(BigInt(last.memoryBytes), 0, "BinarySI").toString(),
    },
  };
}
