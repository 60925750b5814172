import { type Pod, pods, type Secret, secrets } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";
import { imageFailure } from "../../facts/image-failure.ts";

/** The types that a kubelet takes credentials from, with the key of their data. */
const keys = new Map([
  ["kubernetes.io/dockerconfigjson", ".dockerconfigjson"],
  ["kubernetes.io/dockercfg", ".dockercfg"],
]);

/** A refused pull with pull secrets that have nothing for the registry. Of their data only registries are looked at. */
export const imagePullSecretUseless = cause<Pod>({
  name: "image-pull-secret-useless",
  layer: "image",
  group: "image",
  of: [pods],
  find(pod, view) {
    const failure = imageFailure(pod, view);
    if (
      !failure ||
      !/40[13]|unauthorized|denied|authori[sz]ation|authentication|no basic auth/i.test(
        failure.text,
      )
    )
      return undefined;
    const { namespace } = pod.metadata;
    const used = (pod.spec.imagePullSecrets ?? []).flatMap(
      ({ name }) => (name && view.get(secrets, { name, namespace })) || [],
    );
    const [first] = used;
    const { image, registry, since, evidence } = failure;
    if (!first || used.length < (pod.spec.imagePullSecrets ?? []).length) return undefined;
    const told = used.every((one) => !keys.has(one.type ?? ""))
      ? `the pull secret "${first.metadata.name}" of the Pod is of type ${first.type ?? "Opaque"}, of which a kubelet takes no credentials (kubernetes.io/dockerconfigjson)`
      : withoutRegistry(used, registry);
    if (!told) return undefined;
    return {
      sentence: `the registry ${registry} refuses access to "${image}", and ${told}`,
      ...{ since, evidence },
      fix: [
        `kubectl create secret docker-registry regcred --docker-server=${registry} --docker-username=USER --docker-password=…`,
        "# and name it in imagePullSecrets",
      ],
    };
  },
});

function withoutRegistry(used: readonly Secret[], registry: string): string | undefined {
  const known = used.flatMap(registriesOf);
  if (known.some((one) => one.includes(registry) || isDockerHub(one, registry))) return undefined;
  const list = names(used.map(({ metadata }) => `"${metadata.name}"`));
  return `the pull secret ${list} of the Pod is for ${known.length > 0 ? `${names(known)} only` : "no registry"}`;
}

const isDockerHub = (known: string, registry: string): boolean =>
  registry === "docker.io" && known.includes("index.docker.io");

/** The registries for which a Secret has credentials. */
function registriesOf({ type = "", data = {} }: Secret): readonly string[] {
  const text = data[keys.get(type) ?? ""];
  if (text === undefined) return [];
  try {
    const parsed = JSON.parse(atob(text)) as { readonly auths?: object };
    return Object.keys((type.endsWith("json") ? parsed.auths : parsed) ?? {});
  } catch {
    return [];
  }
}
