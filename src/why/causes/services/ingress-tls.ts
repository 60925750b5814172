import { type Secret, secrets } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { cause, type Found } from "../../base/cause.ts";
import type { View } from "../../base/view.ts";

export const ingressTls = cause<Ingress>({
  name: "ingress-tls-secret-missing",
  layer: "service",
  group: "ingress",
  of: [ingresses],
  find(ingress, view) {
    const { spec, metadata } = ingress;
    const { namespace } = metadata;
    const missing = (spec?.tls ?? []).find(
      ({ secretName: name }) => name && view.isAbsent(secrets, { name, namespace }),
    );
    if (!missing) return incomplete(ingress, view);
    return {
      sentence: `the Secret "${missing.secretName}" with its TLS certificate does not exist`,
      fix: [`kubectl create secret tls ${missing.secretName} --cert=FILE --key=FILE`],
    };
  },
});

const keys = ["tls.crt", "tls.key"];

/** A Secret without the certificate or its key: only the names of its data are looked at. */
function incomplete({ spec, metadata: { namespace } }: Ingress, view: View): Found | undefined {
  const all = (spec?.tls ?? []).flatMap(
    ({ secretName: name }) => (name && view.get(secrets, { name, namespace })) || [],
  );
  const found = all.find((one) => keys.some((key) => !has(one, key)));
  if (!found) return undefined;
  const { name } = found.metadata;
  const lacking = keys.filter((key) => !has(found, key)).join(" and ");
  return {
    sentence: `the Secret "${name}" is no TLS certificate: it has no ${lacking}${found.type === "kubernetes.io/tls" ? "" : ` (its type is ${found.type ?? "Opaque"})`}`,
    fix: [
      `kubectl delete secret ${name}`,
      `kubectl create secret tls ${name} --cert=FILE --key=FILE`,
    ],
  };
}

const has = ({ data }: Secret, key: string): boolean => Boolean(data?.[key]);
