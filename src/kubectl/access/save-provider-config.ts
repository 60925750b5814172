/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/config.go (PersisterForUser). */
import type { LoadedKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import type { ProviderConfig } from "#/client/kubeconfig/oidc-credentials.ts";
import { writeKubeconfig } from "#/client/kubeconfig/write-kubeconfig.ts";
import { CommandError } from "../base/errors.ts";

/** Writes the settings of a user's auth provider into the kubeconfig file that contains the user. */
export async function saveProviderConfig(
  { files }: LoadedKubeconfig,
  user: string,
  config: ProviderConfig,
): Promise<void> {
  const file = files.find(({ config: { users } }) => users?.some(({ name }) => name === user));
  if (!file) throw new CommandError(`user ${user} not found`);
  const users = (file.config.users ?? []).map((entry) =>
    entry.name === user
      ? {
          ...entry,
          user: {
            ...entry.user,
            "auth-provider": { ...entry.user["auth-provider"], config: { ...config } },
          },
        }
      : entry,
  );
  await writeKubeconfig(file.path, { ...file.config, users });
}
