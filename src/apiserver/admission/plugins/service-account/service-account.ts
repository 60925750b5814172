import { type Pod, pods, type ServiceAccount, serviceAccounts } from "#/api/core/v1.ts";
import { notFound, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { randomInt, systemRandom } from "#/std/base/random.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import {
  type Admitted,
  admissionPlugin,
  type PluginServices,
} from "../../base/admission-plugin.ts";
import { findNewest, findObject } from "../../base/find-object.ts";
import { forbid } from "../../base/forbid.ts";
import { findReferredSecret } from "./find-referred-secret.ts";
import { mountToken } from "./mount-token.ts";
import { findForbiddenSecret, findForbiddenSecretOfEphemeral } from "./mountable-secrets.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const enforceAnnotation = "kubernetes.io/enforce-mountable-secrets";
const defaultName = "default";
/** Retries: a new namespace's default account is created by a controller, with a delay. */
const defaultAttempts = 10;
const retryLeastMs = 100;
const retrySpreadMs = 100;

/**
 * Sets each pod's service account, that account's token and its image pull secrets.
 * Upstream: plugin/pkg/admission/serviceaccount/admission.go.
 */
export const serviceAccount = admissionPlugin({
  name: "ServiceAccount",
  on: pods,
  subresources: ["", "ephemeralcontainers"],
  operations: ["CREATE", "UPDATE"],
  mutate(attributes, services) {
    const { operation, subresource, object: pod } = attributes;
    if (operation !== "CREATE" || subresource !== "") return;
    if (isMirror(pod)) return checkMirror(attributes);
    if (!pod.spec.serviceAccountName) {
      pod.spec.serviceAccountName = defaultName;
      pod.spec.serviceAccount = defaultName;
    }
    return withAccount(attributes, services, (account) => {
      if (shouldMount(account, pod)) mountToken(pod);
      const pull = account.imagePullSecrets ?? [];
      if ((pod.spec.imagePullSecrets?.length ?? 0) === 0 && pull.length > 0) {
        pod.spec.imagePullSecrets = pull.map(({ name }) => (name ? { name } : {}));
      }
      checkSecrets(attributes, account);
    });
  },
  validate(attributes, services) {
    const { operation, subresource, object: pod } = attributes;
    if (subresource !== "") return checkEphemeral(attributes, services);
    if (operation !== "CREATE") return;
    if (isMirror(pod)) return checkMirror(attributes);
    return withAccount(attributes, services, (account) => checkSecrets(attributes, account));
  },
});

type Request = Admitted<Pod>;

const isMirror = ({ metadata }: Decoded<Pod>): boolean =>
  metadata.annotations?.[mirrorAnnotation] !== undefined;

function shouldMount(account: ServiceAccount, { spec }: Pod): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
}

/** A mirror pod represents a static pod of a node: it gets no service account. */
function checkMirror(attributes: Request): void {
  const { spec } = attributes.object;
  if (spec.serviceAccountName) {
    throw forbid(attributes, "a mirror pod may not reference service accounts");
  }
  if (findReferredSecret(spec) !== undefined) {
    throw forbid(attributes, "a mirror pod may not reference secrets");
  }
  const projected = (spec.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (projected.some((source) => source.serviceAccountToken !== undefined)) {
    throw forbid(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}

function checkSecrets(attributes: Request, account: Decoded<ServiceAccount>): void {
  if (!enforces(account)) return;
  const problem = findForbiddenSecret(attributes.object.spec, account);
  if (problem !== undefined) throw forbid(attributes, problem);
}

function checkEphemeral(attributes: Request, services: PluginServices): MaybePromise<void> {
  return withAccount(attributes, services, (account) => {
    if (!enforces(account)) return;
    const problem = findForbiddenSecretOfEphemeral(attributes.object.spec, account);
    if (problem !== undefined) throw statusWithoutReason(problem);
  });
}

const trueTexts = new Set(["1", "t", "T", "TRUE", "true", "True"]);

const enforces = ({ metadata }: Decoded<ServiceAccount>): boolean =>
  trueTexts.has(metadata.annotations?.[enforceAnnotation] ?? "");

/** Calls a function with the pod's account, synchronously if it is cached. */
function withAccount(
  attributes: Request,
  services: PluginServices,
  use: (account: Decoded<ServiceAccount>) => void,
): MaybePromise<void> {
  const { namespace, object: pod } = attributes;
  const name = pod.spec.serviceAccountName;
  if (!name) {
    const which = `${namespace}/${pod.metadata.name ?? ""}`;
    throw forbid(attributes, `no service account specified for pod ${which}`);
  }
  const cached = findObject(services.registry, serviceAccounts, namespace, name);
  if (cached) return use(cached);
  return awaitAccount(services, namespace, name).then((account) => {
    if (account) return use(account);
    const missing = notFound({ group: "", name: "serviceaccount" }, name).message;
    throw forbid(attributes, `error looking up service account ${namespace}/${name}: ${missing}`);
  });
}

async function awaitAccount(
  { registry, clock }: PluginServices,
  namespace: string,
  name: string,
): Promise<Decoded<ServiceAccount> | undefined> {
  const attempts = name === defaultName ? defaultAttempts : 1;
  const pauseMs = retryLeastMs + randomInt(systemRandom, retrySpreadMs);
  for (let attempt = 1; ; attempt++) {
    const account = await findNewest(registry, serviceAccounts, namespace, name);
    if (account || attempt === attempts) return account;
    await clock.sleep(pauseMs);
  }
}
