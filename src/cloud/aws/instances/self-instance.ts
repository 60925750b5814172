/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { SelfInstance } from "../base/aws-cloud.ts";
import { ClusterTags } from "../base/cluster-tags.ts";
import type { InstanceDirectory } from "../base/instance-directory.ts";
import type { GlobalConfig } from "../config/cloud-config.ts";
import type { InstanceMetadataService } from "../credentials/imds.ts";

/** The machine that the program runs on, or what the file says if that is not in the cluster's account. */
export async function findSelf(
  config: GlobalConfig,
  imds: InstanceMetadataService,
  instances: InstanceDirectory,
  signal: AbortSignal,
): Promise<SelfInstance> {
  const isTagged = config.KubernetesClusterTag !== "" || config.KubernetesClusterID !== "";
  if (config.VPC !== "" && (config.SubnetID !== "" || config.RoleARN !== "") && isTagged) {
    return {
      nodeName: "master-dummy",
      instanceId: "",
      zone: "",
      vpcId: config.VPC,
      subnetId: config.SubnetID,
      instanceType: "",
    };
  }
  const id = await imds.metadata("instance-id", signal).catch((error: unknown) => {
    const quoted = goQuote(asError(error).message);
    throw new Error(`error fetching instance-id from ec2 metadata service: ${quoted}`, {
      cause: error,
    });
  });
  const found = await instances.getById(id).catch((error: unknown) => {
    throw new Error(`error finding instance ${id}: ${goQuote(asError(error).message)}`, {
      cause: error,
    });
  });
  return {
    nodeName: found.privateDnsName ?? "",
    instanceId: id,
    zone: found.placement?.availabilityZone ?? "",
    vpcId: found.vpcId ?? "",
    subnetId: found.subnetId ?? "",
    instanceType: found.instanceType ?? "",
  };
}

/** The cluster's tags: of the file, or of the machine. */
export async function tagsOf(
  { KubernetesClusterTag, KubernetesClusterID }: GlobalConfig,
  { instanceId }: SelfInstance,
  instances: InstanceDirectory,
  signal: AbortSignal,
): Promise<ClusterTags> {
  if (KubernetesClusterTag !== "" || KubernetesClusterID !== "") {
    return new ClusterTags(KubernetesClusterTag, KubernetesClusterID);
  }
  const found = await instances.describe({ InstanceId: [instanceId] }, signal);
  if (!found[0]) throw new Error(`no instances found for instance: ${instanceId}`);
  if (found.length > 1) throw new Error(`multiple instances found for instance: ${instanceId}`);
  return ClusterTags.fromTags(found[0].tagSet);
}
