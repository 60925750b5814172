import type { PodStatus } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * The id of the container whose log a name refers to: the running one, or the last one that ended. Throws an Error
 * with the reason if there is none.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go.
 */
export function loggedContainer(
  status: PodStatus | undefined,
  { pod, container, previous }: { pod: string; container: string; previous: boolean },
): string {
  const found = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ].find(({ name }) => name === container);
  const subject = `container ${goQuote(container)} in pod ${goQuote(pod)}`;
  if (found === undefined) throw new Error(`${subject} is not available`);
  const { state, lastState } = found;
  const last = lastState?.terminated?.containerID ?? "";
  if (previous) {
    if (last === "") throw new Error(`previous terminated ${subject} not found`);
    return last;
  }
  if (state?.running) return found.containerID ?? "";
  if (state?.terminated || lastState?.terminated) {
    const id = state?.terminated?.containerID || last;
    if (id === "") throw new Error(`${subject} is terminated`);
    return id;
  }
  const reason = state?.waiting?.reason;
  if (state?.waiting === undefined) {
    throw new Error(`${subject} is waiting to start - no logs yet`);
  }
  const texts: Readonly<Record<string, string>> = {
    ErrImagePull: "image can't be pulled",
    ImagePullBackOff: "trying and failing to pull image",
  };
  throw new Error(`${subject} is waiting to start: ${texts[reason ?? ""] ?? reason ?? ""}`);
}
