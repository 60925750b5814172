import { type ServiceAccount, serviceAccounts } from "#/api/core/v1.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { serve } from "../../registry/strategy.ts";
import { serviceAccountToken } from "../authentication/token-request.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";

const mountableAnnotation = "kubernetes.io/enforce-mountable-secrets";

/** Upstream: pkg/registry/core/serviceaccount/strategy.go. */
export const serviceAccount = serve(serviceAccounts, {
  returnsDeletedObject: true,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  validate: ({ metadata }) => validateNamespacedMeta(metadata, nameIsDNSSubdomain),
  validateUpdate: ({ metadata }, old) => [
    ...validateMetaUpdate(metadata, old.metadata),
    ...validateNamespacedMeta(metadata, nameIsDNSSubdomain),
  ],
  warnings({ metadata }, old) {
    if (old?.metadata.annotations?.[mountableAnnotation] !== undefined) return [];
    if (metadata.annotations?.[mountableAnnotation] === undefined) return [];
    return [
      `metadata.annotations[${mountableAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    ];
  },
  actions: { token: serviceAccountToken },
  columns: [nameColumn, ageColumn],
});

/** Keeps only the names of references to Secrets. */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets) {
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  }
}
