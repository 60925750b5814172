import type { Container, Pod, PodSpec } from "#/api/core/v1.ts";
import { containerHash } from "#/kubelet/state/container-hash.ts";
import type { ObservedContainer, ObservedPod } from "#/kubelet/state/observed-pod.ts";

/** A pod for tests, with one container unless the spec says otherwise. */
export function testPod(spec: Partial<PodSpec> = {}, metadata: Pod["metadata"] = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "u1", ...metadata },
    spec: { containers: [testContainer("main")], restartPolicy: "Always", ...spec },
  };
}

export function testContainer(name: string, rest: Partial<Container> = {}): Container {
  return { name, image: "image:1", ...rest };
}

/** A container as the runtime reports it, of testContainer(name). */
export function testObserved(
  name: string,
  state: ObservedContainer["state"],
  rest: Partial<ObservedContainer> = {},
): ObservedContainer {
  return {
    id: `id-${name}`,
    name,
    sandboxId: "s1",
    state,
    restartCount: 0,
    createdAtMs: 0,
    startedAtMs: 0,
    finishedAtMs: 0,
    exitCode: 0,
    reason: "",
    message: "",
    image: "image:1",
    imageRef: "image@1",
    imageId: "image@1",
    hash: containerHash(testContainer(name)),
    logPath: "",
    labels: {},
    annotations: {},
    mounts: [],
    ...rest,
  };
}

/** The runtime's state of testPod(): a ready sandbox and these containers. */
export function testObservedPod(
  containers: readonly ObservedContainer[],
  rest: Partial<ObservedPod> = {},
): ObservedPod {
  const sandbox = { id: "s1", attempt: 0, ready: true, createdAtMs: 0, hostNetwork: false };
  return {
    uid: "u1",
    name: "web",
    namespace: "default",
    ips: ["10.0.0.5"],
    sandboxes: [{ ...sandbox, runtimeHandler: "" }],
    containers,
    ...rest,
  };
}
