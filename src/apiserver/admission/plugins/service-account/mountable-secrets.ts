import type { Container, PodSpec, ServiceAccount } from "#/api/core/v1.ts";
import type { Decoded } from "../../../registry/strategy.ts";

type Account = Decoded<ServiceAccount>;

/** The error for a Secret that a pod may not use, if its account must list them all. */
export function findForbiddenSecret(spec: PodSpec, account: Account): string | undefined {
  const allowed = secretsOf(account);
  for (const { secret } of spec.volumes ?? []) {
    const { secretName = "" } = secret ?? {};
    if (!secret || allowed.has(secretName)) continue;
    return `volume with secret.secretName="${secretName}" ${refusal(account)}`;
  }
  return (
    findInContainers("init container", spec.initContainers, account) ??
    findInContainers("container", spec.containers, account) ??
    findPullSecret(spec, account)
  );
}

/** The same for ephemeral containers of a running pod. */
export function findForbiddenSecretOfEphemeral(
  spec: PodSpec,
  account: Account,
): string | undefined {
  const containers = spec.ephemeralContainers as readonly Container[] | undefined;
  return findInContainers("ephemeral container", containers, account);
}

function findInContainers(
  noun: string,
  containers: readonly Container[] | undefined,
  account: Account,
): string | undefined {
  const allowed = secretsOf(account);
  for (const { name: container, env = [], envFrom = [] } of containers ?? []) {
    for (const { name: variable, valueFrom } of env) {
      const { name = "" } = valueFrom?.secretKeyRef ?? {};
      if (!valueFrom?.secretKeyRef || allowed.has(name)) continue;
      return `${noun} ${container} with envVar ${variable} referencing secret.secretName="${name}" ${refusal(account)}`;
    }
    for (const { secretRef } of envFrom) {
      const { name = "" } = secretRef ?? {};
      if (!secretRef || allowed.has(name)) continue;
      return `${noun} ${container} with envFrom referencing secret.secretName="${name}" ${refusal(account)}`;
    }
  }
  return undefined;
}

function findPullSecret(spec: PodSpec, account: Account): string | undefined {
  const allowed = new Set((account.imagePullSecrets ?? []).map(({ name = "" }) => name));
  const references = spec.imagePullSecrets ?? [];
  const index = references.findIndex(({ name = "" }) => !allowed.has(name));
  if (index < 0) return undefined;
  const { name = "" } = references[index] ?? {};
  return `imagePullSecrets[${index}].name="${name}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`;
}

const secretsOf = ({ secrets = [] }: Account): ReadonlySet<string> =>
  new Set(secrets.map(({ name = "" }) => name));

const refusal = ({ metadata }: Account): string =>
  `is not allowed because service account ${metadata.name} does not reference that secret`;
