import { type ServiceAccount, secrets, serviceAccounts } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

export const accountSecretMissing = cause<ServiceAccount>({
  name: "pull-secret-of-account-missing",
  layer: "image",
  of: [serviceAccounts],
  find({ imagePullSecrets, metadata }, view) {
    const { namespace } = metadata;
    const missing = (imagePullSecrets ?? []).find(
      ({ name }) => name && view.isAbsent(secrets, { name, namespace }),
    );
    if (!missing) return undefined;
    return {
      sentence: `its pull secret "${missing.name}" does not exist, so its Pods pull images without credentials`,
      fix: [
        `kubectl create secret docker-registry ${missing.name} --docker-server=… --docker-username=… --docker-password=…`,
      ],
    };
  },
});
