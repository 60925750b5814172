import { secrets } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { cause } from "../../base/cause.ts";

export const ingressTls = cause<Ingress>({
  name: "ingress-tls-secret-missing",
  layer: "service",
  group: "ingress",
  of: [ingresses],
  find({ spec, metadata }, view) {
    const { namespace } = metadata;
    const missing = (spec?.tls ?? []).find(
      ({ secretName: name }) => name && view.isAbsent(secrets, { name, namespace }),
    );
    if (!missing) return undefined;
    return {
      sentence: `the Secret "${missing.secretName}" with its TLS certificate does not exist`,
      fix: [`kubectl create secret tls ${missing.secretName} --cert=FILE --key=FILE`],
    };
  },
});
