import { type HTTPIngressPath, type Ingress, ingresses } from "#/api/networking/v1.ts";
import { cause } from "../../base/cause.ts";

/** A path of a host that two Ingresses of one class have: controllers serve the older one. */
export const ingressConflict = cause<Ingress>({
  name: "ingress-conflict",
  layer: "service",
  of: [ingresses],
  find(ingress, view) {
    const own = placesOf(ingress);
    if (own.length === 0) return undefined;
    for (const other of view.list(ingresses) ?? []) {
      if (isSame(other, ingress) || classOf(other) !== classOf(ingress)) continue;
      const taken = placesOf(other);
      const place = own.find((one) => taken.some(({ key }) => key === one.key));
      if (!place || other.metadata.deletionTimestamp) continue;
      const isLater = compareAge(other, ingress) < 0;
      const isHarmless = taken.some(
        ({ key, backend }) => key === place.key && backend === place.backend,
      );
      const { namespace, name } = other.metadata;
      const what = `path ${place.path} of host ${place.host}`;
      return {
        sentence: isLater
          ? `its ${what} belongs to ingress/${name} in ${namespace}, which is older${isHarmless ? "" : " and leads elsewhere"}: requests go there`
          : `ingress/${name} in ${namespace} has the same ${what}, and is younger: requests come here`,
        // The specification does not say who wins: nearly all controllers serve the older one.
        certainty: "likely",
        severity: isLater && !isHarmless ? "stuck" : "notice",
        since: ingress.metadata.creationTimestamp,
        evidence: [
          `this one leads to ${place.backend}, and was made at ${ingress.metadata.creationTimestamp}`,
          `the other was made at ${other.metadata.creationTimestamp}`,
        ],
        fix: [`# give one of them another host or path, or delete it: kubectl get ingresses -A`],
      };
    }
    return undefined;
  },
});

interface Place {
  readonly host: string;
  readonly path: string;
  readonly key: string;
  readonly backend: string;
}

/** The hosts and paths of an Ingress, with where they lead. */
const placesOf = ({ spec, metadata }: Ingress): readonly Place[] =>
  (spec?.rules ?? []).flatMap(({ host = "*", http }) =>
    (http?.paths ?? []).map((one) => ({
      ...{ host, path: one.path ?? "/" },
      key: `${host.toLowerCase()} ${one.pathType} ${(one.path ?? "/").replace(/(?<=.)\/$/, "")}`,
      backend: `${metadata.namespace}/${backendText(one)}`,
    })),
  );

function backendText({ backend: { service, resource } }: HTTPIngressPath): string {
  if (!service) return `${resource?.kind}/${resource?.name}`;
  return `service/${service.name}:${service.port?.name ?? service.port?.number ?? ""}`;
}

const classOf = ({ spec, metadata }: Ingress): string =>
  spec?.ingressClassName ?? metadata.annotations?.["kubernetes.io/ingress.class"] ?? "";

const isSame = (a: Ingress, b: Ingress): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

/** Negative if the first is the older one. */
function compareAge(a: Ingress, b: Ingress): number {
  const key = ({ metadata }: Ingress) =>
    `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
  return key(a) < key(b) ? -1 : 1;
}
