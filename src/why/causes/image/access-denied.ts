import { imageCause } from "../../facts/image-failure.ts";

export const imageAccessDenied = imageCause({
  name: "image-access-denied",
  texts:
    /40[13] (?:Unauthorized|Forbidden)|unauthorized|authorization failed|pull access denied|authentication required|no basic auth|insufficient_scope|: denied|requested access to the resource is denied/i,
  explain: ({ image, registry, text }, pod) => {
    const unclear = /does not exist or may require/i.test(text);
    const used = (pod.spec.imagePullSecrets ?? []).map(({ name }) => name).join(", ");
    const why = unclear
      ? `the registry ${registry} refuses access to "${image}": it is private, or does not exist`
      : `the registry ${registry} refuses access to "${image}" (authentication failed)`;
    return {
      sentence: `${why}; ${used ? `the Pod uses the pull secret ${used}` : "the Pod has no pull secret"}`,
      fix: [
        `kubectl create secret docker-registry regcred --docker-server=${registry} --docker-username=USER --docker-password=…`,
        `kubectl patch serviceaccount ${pod.spec.serviceAccountName ?? "default"} -p '{"imagePullSecrets":[{"name":"regcred"}]}'`,
      ],
    };
  },
});
