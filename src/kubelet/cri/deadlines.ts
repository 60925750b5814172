/** Upstream: k8s.io/cri-client/pkg/{remote_runtime,remote_image}.go. Pure. */

/** Default of `runtimeRequestTimeout` (ms). */
export const defaultRequestMs = 2 * 60_000;

/** The deadline of a call to the runtime (ms); undefined for those that may take any time. */
export function criDeadlineMs(
  method: string,
  request: object,
  requestMs: number,
): number | undefined {
  const ownMs = "timeout" in request ? Number(request.timeout) * 1000 : 0;
  switch (method) {
    case "PullImage":
      // The runtime ends a pull that makes no progress.
      return undefined;
    case "ExecSync":
      return ownMs > 0 ? requestMs + ownMs : undefined;
    case "StopContainer":
      return requestMs + ownMs;
    case "RunPodSandbox":
      // It includes the pod network, which may take long.
      return 2 * requestMs;
    default:
      return requestMs;
  }
}
