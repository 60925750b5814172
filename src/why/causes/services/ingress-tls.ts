import { secrets } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import { inNamespace } from "../../base/any-object.ts";
import { cause } from "../../base/cause.ts";

export const ingressTls = cause<Ingress>({
  name: "ingress-tls-secret-missing",
  layer: "service",
  of: [ingresses],
  find({ spec, metadata }, view) {
    const { namespace } = metadata;
    const missing = (spec?.tls ?? []).find(
      ({ secretName: name }) => name && view.isAbsent(secrets, { name, namespace }),
    );
    if (!missing) return undefined;
    const at = inNamespace({ namespace: namespace ?? "" });
    return {
      sentence: `the Secret "${missing.secretName}" with its TLS certificate does not exist`,
      fix: [`kubectl ${at}create secret tls ${missing.secretName} --cert=FILE --key=FILE`],
    };
  },
});
