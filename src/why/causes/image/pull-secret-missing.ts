import { type Pod, pods, secrets } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { imageFailure } from "../../facts/image-failure.ts";

/** A pull that fails while a pull secret of the Pod does not exist: the more specific answer. */
export const imagePullSecretMissing = cause<Pod>({
  name: "image-pull-secret-missing",
  layer: "image",
  group: "image",
  of: [pods],
  find(pod, view) {
    const failure = imageFailure(pod, view);
    if (
      !failure ||
      !/40[13]|unauthorized|denied|authorization|authentication/i.test(failure.text)
    ) {
      return undefined;
    }
    const { namespace } = pod.metadata;
    const missing = (pod.spec.imagePullSecrets ?? []).find(
      ({ name }) => name !== undefined && view.isAbsent(secrets, { name, namespace }),
    );
    if (!missing) return undefined;
    return {
      sentence: `the registry ${failure.registry} refuses access to "${failure.image}", and the pull secret "${missing.name}" of the Pod does not exist`,
      since: failure.since,
      evidence: failure.evidence,
      fix: [
        `kubectl create secret docker-registry ${missing.name} --docker-server=${failure.registry} --docker-username=USER --docker-password=…`,
      ],
    };
  },
});
