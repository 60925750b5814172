import type { Area } from "../case.ts";
import { access } from "./access.ts";
import { admissionArea } from "./admission.ts";
import { admissionConfiguredArea, alwaysAdmitPluginArea } from "./admission-configured.ts";
import { admissionExtrasArea } from "./admission-extras.ts";
import { admissionObjectsArea } from "./admission-objects.ts";
import { admissionPermissionsArea } from "./admission-permissions.ts";
import { admissionPoliciesArea } from "./admission-policies.ts";
import { apiServicesArea } from "./api-services.ts";
import { applyBuiltin } from "./apply-builtin.ts";
import { applyWidget } from "./apply-widget.ts";
import { apps } from "./apps.ts";
import { authenticationArea } from "./authentication.ts";
import {
  abacArea,
  alwaysAllowArea,
  alwaysDenyArea,
  configuredAuthorizersArea,
  webhookAuthorizerArea,
} from "./authorizers.ts";
import { autoscaling } from "./autoscaling.ts";
import { batch } from "./batch.ts";
import { certificatesArea } from "./certificates.ts";
import { clusterSettings } from "./cluster-settings.ts";
import { compatibilityArea } from "./compatibility.ts";
import { connectionsArea } from "./connections.ts";
import { coreObjects } from "./core-objects.ts";
import { coreServices } from "./core-services.ts";
import { coreStorage } from "./core-storage.ts";
import { coreTables } from "./core-tables.ts";
import { customDefinitions } from "./custom-definitions.ts";
import { customResources } from "./custom-resources.ts";
import { deviceRulesArea } from "./device-rules.ts";
import { devicesArea } from "./devices.ts";
import { flowControlArea } from "./flow-control.ts";
import { jsonPatches } from "./json-patch.ts";
import { mergePatches } from "./merge-patch.ts";
import { networkingArea } from "./networking.ts";
import { pathsArea } from "./paths.ts";
import { podTemplatesArea } from "./pod-templates.ts";
import { podContainers } from "./pods-containers.ts";
import { podLife } from "./pods-life.ts";
import { podSpecs } from "./pods-spec.ts";
import { podVolumes } from "./pods-volumes.ts";
import { quantity } from "./quantity.ts";
import { refusalsArea } from "./refusals.ts";
import { registrationsArea } from "./registrations.ts";
import { schedulingGroups } from "./scheduling-groups.ts";
import { strategicPatches } from "./strategic.ts";

/** All areas, in the order they are recorded. */
export const areas: readonly Area[] = [
  quantity,
  jsonPatches,
  mergePatches,
  strategicPatches,
  applyWidget,
  applyBuiltin,
  coreServices,
  coreObjects,
  coreStorage,
  coreTables,
  networkingArea,
  podContainers,
  podVolumes,
  podSpecs,
  podLife,
  podTemplatesArea,
  customDefinitions,
  customResources,
  apps,
  batch,
  autoscaling,
  clusterSettings,
  schedulingGroups,
  access,
  certificatesArea,
  flowControlArea,
  devicesArea,
  deviceRulesArea,
  apiServicesArea,
  connectionsArea,
  registrationsArea,
  admissionArea,
  admissionExtrasArea,
  admissionObjectsArea,
  admissionPoliciesArea,
  admissionPermissionsArea,
  admissionConfiguredArea,
  alwaysAdmitPluginArea,
  authenticationArea,
  abacArea,
  webhookAuthorizerArea,
  configuredAuthorizersArea,
  alwaysAllowArea,
  alwaysDenyArea,
  pathsArea,
  refusalsArea,
  compatibilityArea,
];
