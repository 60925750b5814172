import { type Service, services } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { ipWarnings, parseIpSloppy } from "#/machinery/meta/ip-rules.ts";
import { serviceProxyAction } from "../../../proxy/cluster-proxies.ts";
import {
  type Claim,
  type Declaration,
  type Decoded,
  type RequestContext,
  serve,
} from "../../../registry/strategy.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import type { NodePorts } from "./allocators/node-ports.ts";
import { nodePortsOf } from "./allocators/repair-node-ports.ts";
import type { ServiceAddresses } from "./allocators/service-addresses.ts";
import { alignClusterIPs, carryOver } from "./carry-over.ts";
import { claimAddresses } from "./claim-addresses.ts";
import { claimNodePorts } from "./claim-node-ports.ts";
import { serviceColumns } from "./columns.ts";
import { setServiceDefaults } from "./defaults.ts";
import { type ClusterFamilies, setIPFamilies } from "./ip-families.ts";
import { isHeadless } from "./kinds-of-service.ts";
import { dropUnusedFields } from "./type-change.ts";
import { validateServiceStatus } from "./validate-load-balancer.ts";
import { validateServiceCreate, validateServiceUpdate } from "./validate-service.ts";
import { serviceWarnings } from "./warnings.ts";

/** The allocators of Services. */
interface ServiceAllocators {
  /** Families of --service-cluster-ip-range, the default first. */
  readonly families: ClusterFamilies;
  readonly addresses: ServiceAddresses;
  readonly nodePorts: NodePorts;
}

/** Upstream: pkg/registry/core/service/{strategy.go,storage/storage.go}. */
export function serviceResource(allocators: ServiceAllocators): Declaration {
  return serve(services, {
    storageName: "services/specs",
    returnsDeletedObject: true,
    allowCreateOnUpdate: true,
    setDefaults: setServiceDefaults,
    beginCreate(object, context) {
      alignClusterIPs(object);
      return claim(object, undefined, allocators, context);
    },
    beginUpdate(object, old, context) {
      carryOver(object, old);
      alignClusterIPs(object, old);
      return claim(object, old, allocators, context);
    },
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      keepStatus(object, old);
      dropUnusedFields(object, old);
    },
    validate: validateServiceCreate,
    validateUpdate: validateServiceUpdate,
    warnings: serviceWarnings,
    canonicalize({ spec }) {
      // Upstream hides it in every response.
      if (spec.type === "ExternalName") delete spec.internalTrafficPolicy;
    },
    afterDelete: (object, context) => releaseAll(object, allocators, context),
    resetFields: ["status"],
    status: {
      prepareForUpdate: keepSpec,
      validateUpdate: validateServiceStatus,
      warnings: ({ status }) =>
        (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
          ip ? ipWarnings(fieldPath("status", "loadBalancer", "ingress").index(index), ip) : [],
        ),
      resetFields: ["spec"],
    },
    selectableFields: {
      "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
      "spec.type": ({ spec }) => spec.type ?? "",
    },
    columns: serviceColumns,
    actions: { proxy: serviceProxyAction },
  });
}

/** Allocates addresses and ports together: both or neither. */
async function claim(
  object: Decoded<Service>,
  old: Decoded<Service> | undefined,
  { families, addresses, nodePorts }: ServiceAllocators,
  context: RequestContext,
): Promise<Claim> {
  setIPFamilies(object, old, families);
  const ips = await claimAddresses(object, old, addresses, context);
  try {
    const ports = await claimNodePorts(object, old, nodePorts, context);
    return {
      async commit() {
        await ips.commit();
        await ports.commit();
      },
      async rollback() {
        await ips.rollback();
        await ports.rollback();
      },
    };
  } catch (error) {
    await ips.rollback();
    throw error;
  }
}

async function releaseAll(
  object: Decoded<Service>,
  { addresses, nodePorts }: ServiceAllocators,
  context: RequestContext,
): Promise<void> {
  if (context.dryRun) return;
  if (object.spec.type !== "ExternalName" && !isHeadless(object)) {
    for (const text of object.spec.clusterIPs ?? []) {
      const ip = parseIpSloppy(text);
      if (ip) await addresses.release(ip, context);
    }
  }
  await nodePorts.release(context.store(services).storage, nodePortsOf(object));
}
