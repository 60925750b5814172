import type { TokenRequest } from "#/api/authentication/v1.ts";
import { type Pod, persistentVolumeClaims, persistentVolumes, type Volume } from "#/api/core/v1.ts";
import { csiDrivers } from "#/api/storage/v1.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import { table } from "#/std/base/table.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { noAttributes } from "../../../model/authorizer.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import type { PluginServices } from "../../base/admission-plugin.ts";
import { findObject } from "../../base/find-object.ts";
import { forbid, joinMessages } from "../../base/forbid.ts";
import { podOf } from "./admit-pod.ts";
import type { NodeRequest } from "./node-restriction.ts";

/** The CSI drivers that replace in-tree volume types. */
const migratedDrivers: Readonly<Record<string, string>> = table({
  awsElasticBlockStore: "ebs.csi.aws.com",
  gcePersistentDisk: "pd.csi.storage.gke.io",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  cinder: "cinder.csi.openstack.org",
  vsphereVolume: "csi.vsphere.vmware.com",
  portworxVolume: "pxd.portworx.com",
});

/** A node may request tokens for the pods that run on it, for the audiences in their specs. */
export async function admitToken(request: NodeRequest, services: PluginServices): Promise<void> {
  if (request.operation !== "CREATE" || request.subresource !== "token") return;
  const { spec } = request.object as unknown as TokenRequest;
  const { apiVersion, kind, name, uid } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || !name) {
    throw forbid(request, "node requested token not bound to a pod");
  }
  if (!uid) throw forbid(request, "node requested token with a pod binding without a uid");
  const pod = podOf(request, name, services.registry);
  if (uid !== pod.metadata.uid) {
    throw forbid(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  if (pod.spec.nodeName !== request.nodeName) {
    throw forbid(request, "node requested token bound to a pod scheduled on a different node");
  }
  if (!services.enabled("ServiceAccountNodeAudienceRestriction")) return;
  await checkAudience(request, spec.audiences ?? [], pod, services);
}

async function checkAudience(
  request: NodeRequest,
  audiences: readonly string[],
  pod: Decoded<Pod>,
  { registry, authorizer }: PluginServices,
): Promise<void> {
  const [audience = "", ...others] = audiences;
  if (others.length > 0) throw forbid(request, "node may only request 0 or 1 audiences");
  const { found, problems } = findAudience(pod, audience, registry);
  if (found) return;
  if (problems.length > 0) {
    const reason = joinMessages(problems);
    throw forbid(request, `error validating audience ${goQuote(audience)}: ${reason}`);
  }
  const { resource, user, namespace, name } = request;
  const { decision, error } = await authorizer.authorize({
    ...noAttributes,
    user,
    verb: "request-serviceaccounts-token-audience",
    apiGroup: resource.group,
    apiVersion: resource.version,
    resource: audience,
    namespace,
    name,
  });
  if (decision === "allow") return;
  throw forbid(
    request,
    error
      ? `error authorizing ${user.name} to request tokens for audience ${goQuote(audience)}: ${error.message}`
      : `${user.name} is not authorized to request tokens for audience ${goQuote(audience)}`,
  );
}

/** Searches for an audience in a pod's token volumes and in the CSI drivers of its other volumes. */
function findAudience(
  pod: Decoded<Pod>,
  audience: string,
  registry: Registry,
): { readonly found: boolean; readonly problems: readonly string[] } {
  const problems: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const tokens = (volume.projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) =>
      token ? [token] : [],
    );
    if (tokens.some((token) => (token.audience ?? "") === audience)) {
      return { found: true, problems };
    }
    try {
      const driver = driverOf(pod, volume, registry);
      if (driver && driverHasAudience(driver, audience, registry)) return { found: true, problems };
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { found: false, problems };
}

function driverOf(pod: Decoded<Pod>, volume: Volume, registry: Registry): string | undefined {
  const { namespace = "", name = "" } = pod.metadata;
  if (volume.ephemeral?.volumeClaimTemplate) {
    return driverOfClaim(registry, namespace, `${name}-${volume.name}`);
  }
  if (volume.persistentVolumeClaim) {
    return driverOfClaim(registry, namespace, volume.persistentVolumeClaim.claimName);
  }
  return volume.csi?.driver ?? migratedDriver(volume);
}

function driverOfClaim(registry: Registry, namespace: string, name: string): string | undefined {
  const claim = findObject(registry, persistentVolumeClaims, namespace, name);
  if (!claim) throw notFound({ group: "", name: "persistentvolumeclaim" }, name);
  const { volumeName = "" } = claim.spec ?? {};
  const volume = findObject(registry, persistentVolumes, "", volumeName);
  if (!volume) throw notFound({ group: "", name: "persistentvolume" }, volumeName);
  return volume.spec?.csi?.driver ?? migratedDriver(volume.spec ?? {});
}

function migratedDriver(source: object): string | undefined {
  const type = Object.keys(migratedDrivers).find((name) => Object.hasOwn(source, name));
  return type === undefined ? undefined : migratedDrivers[type];
}

function driverHasAudience(name: string, audience: string, registry: Registry): boolean {
  const driver = findObject(registry, csiDrivers, "", name);
  if (!driver) throw notFound({ group: "storage.k8s.io", name: "csidriver" }, name);
  return (driver.spec.tokenRequests ?? []).some((request) => request.audience === audience);
}
