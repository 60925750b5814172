import type { Resource } from "#/api/base/resource.ts";
import { resources } from "#/api/index.ts";
import type { Declaration } from "../registry/strategy.ts";
import { admissionregistrationResources } from "./admissionregistration/index.ts";
import { apiextensionsResources } from "./apiextensions/index.ts";
import { apiregistrationResources } from "./apiregistration/index.ts";
import { apiserverinternalResources } from "./apiserverinternal/index.ts";
import { appsResources } from "./apps/index.ts";
import { authenticationResources } from "./authentication/index.ts";
import { authorizationResources } from "./authorization/index.ts";
import { autoscalingResources } from "./autoscaling/index.ts";
import { batchResources } from "./batch/index.ts";
import { certificatesResources } from "./certificates/index.ts";
import { coordinationResources } from "./coordination/index.ts";
import { type CoreOptions, coreResources, defaultCoreOptions } from "./core/index.ts";
import { discoveryResources } from "./discovery/index.ts";
import { flowcontrolResources } from "./flowcontrol/index.ts";
import { lifecycleResources } from "./lifecycle/index.ts";
import { networkingResources } from "./networking/index.ts";
import { nodeResources } from "./node/index.ts";
import { policyResources } from "./policy/index.ts";
import { rbacResources } from "./rbac/index.ts";
import { resourceResources } from "./resource/index.ts";
import { withDeprecations } from "./rules/deprecated-versions.ts";
import { schedulingResources } from "./scheduling/index.ts";
import { storageResources } from "./storage/index.ts";
import { storagemigrationResources } from "./storagemigration/index.ts";

/** Every built-in resource, in the order of discovery. Created for each server, since some hold allocators. */
export function builtInResources(
  options: CoreOptions = defaultCoreOptions,
): readonly Declaration[] {
  const declared: readonly Declaration[] = [
    ...coreResources(options),
    ...admissionregistrationResources,
    ...apiextensionsResources(options.sharesStore),
    ...apiregistrationResources,
    ...apiserverinternalResources,
    ...appsResources,
    ...autoscalingResources,
    ...authenticationResources,
    ...authorizationResources,
    ...batchResources,
    ...certificatesResources,
    ...coordinationResources,
    ...discoveryResources,
    ...flowcontrolResources,
    ...lifecycleResources,
    ...networkingResources,
    ...nodeResources,
    ...policyResources,
    ...rbacResources,
    ...resourceResources,
    ...schedulingResources,
    ...storageResources,
    ...storagemigrationResources,
  ];
  const order = new Map(resources.map((handle, index) => [pathOf(handle), index]));
  const place = ({ handle }: Declaration) => order.get(pathOf(handle)) ?? resources.length;
  return declared.toSorted((a, b) => place(a) - place(b)).map(withDeprecations);
}

function pathOf({ group, version, name }: Resource): string {
  return `${group}/${version}/${name}`;
}
