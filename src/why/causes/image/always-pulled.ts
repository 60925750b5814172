import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { imageFailure } from "../../facts/image-failure.ts";
import { workloadOf } from "../../facts/workload.ts";

/** An image that is on the node already, and is pulled all the same. */
export const imageAlwaysPulled = cause<Pod>({
  name: "image-always-pulled",
  layer: "image",
  group: "image",
  of: [pods],
  find(pod, view) {
    const failure = imageFailure(pod, view);
    if (failure?.container.spec.imagePullPolicy !== "Always") return undefined;
    const { status } = view.get(nodes, { name: pod.spec.nodeName ?? "" }) ?? {};
    const present = (status?.images ?? []).flatMap(({ names }) => names ?? []).map(fullName);
    if (!present.includes(fullName(failure.image))) return undefined;
    return {
      sentence: `the image "${failure.image}" is on the node, but imagePullPolicy Always (the default for the tag latest) pulls it anyway, and the registry ${failure.registry} does not give it`,
      since: failure.since,
      evidence: failure.evidence,
      fix: [
        "# set imagePullPolicy: IfNotPresent, or give the image a tag other than latest, in",
        `kubectl edit ${workloadOf(pod, view)}`,
      ],
      docs: "docs/how-to/images.md",
    };
  },
});

/** `docker.io/library/nginx:latest` of `nginx`. */
function fullName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const hasRegistry = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const path = hasRegistry ? image : `docker.io/${rest.length > 0 ? "" : "library/"}${image}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}
