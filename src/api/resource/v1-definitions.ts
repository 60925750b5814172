import type * as coreV1 from "../core/v1-definitions.ts";
import type * as metaV1 from "../meta/v1-definitions.ts";

export type AllocationConfigSource = "FromClaim" | "FromClass";

export type DeviceAllocationMode = "All" | "ExactCount";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export type DeviceTolerationOperator = "Equal" | "Exists";

export type SkipNodeOperation = "*" | "NodePrepareResources" | "NodeUnprepareResources";

export type FullyQualifiedName = string;

export type QualifiedName = string;

export interface AllocatedDeviceStatus {
  driver: string;
  pool: string;
  device: string;
  shareID?: string;
  conditions?: metaV1.Condition[];
  data?: unknown;
  networkData?: NetworkDeviceData;
}

export interface AllocationResult {
  devices?: DeviceAllocationResult;
  nodeSelector?: coreV1.NodeSelector;
  allocationTimestamp?: string;
}

export interface CELDeviceSelector {
  expression: string;
}

export interface CapacityRequestPolicy {
  default?: string;
  validValues?: string[];
  validRange?: CapacityRequestPolicyRange;
}

export interface CapacityRequestPolicyRange {
  min: string;
  max?: string;
  step?: string;
}

export interface CapacityRequirements {
  requests?: Record<string, string>;
}

export interface Counter {
  value: string;
}

export interface CounterSet {
  name: string;
  counters: Record<string, Counter>;
}

export interface Device {
  name: string;
  attributes?: Record<string, DeviceAttribute>;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  nodeName?: string;
  nodeSelector?: coreV1.NodeSelector;
  allNodes?: boolean;
  taints?: DeviceTaint[];
  bindsToNode?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  allowMultipleAllocations?: boolean;
  nodeAllocatableResources?: Record<string, NodeAllocatableResource>;
}

export interface DeviceAllocationConfiguration extends DeviceConfiguration {
  source: AllocationConfigSource;
  requests?: string[];
}

export interface DeviceAllocationResult {
  results?: DeviceRequestAllocationResult[];
  config?: DeviceAllocationConfiguration[];
}

export interface DeviceAttribute {
  int?: number;
  bool?: boolean;
  string?: string;
  version?: string;
  ints?: number[];
  bools?: boolean[];
  strings?: string[];
  versions?: string[];
}

export interface DeviceCapacity {
  value: string;
  requestPolicy?: CapacityRequestPolicy;
}

export interface DeviceClaim {
  requests?: DeviceRequest[];
  constraints?: DeviceConstraint[];
  config?: DeviceClaimConfiguration[];
}

export interface DeviceClaimConfiguration extends DeviceConfiguration {
  requests?: string[];
}

export interface DeviceClass extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: DeviceClassSpec;
}

export type DeviceClassConfiguration = DeviceConfiguration;

export interface DeviceClassList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: DeviceClass[];
}

export interface DeviceClassSpec {
  selectors?: DeviceSelector[];
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
}

export interface DeviceConfiguration {
  opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceConstraint {
  requests?: string[];
  matchAttribute?: FullyQualifiedName;
  distinctAttribute?: FullyQualifiedName;
}

export interface DeviceCounterConsumption {
  counterSet: string;
  counters: Record<string, Counter>;
  compatibilityGroups?: string[];
}

export interface DeviceDerivedAttribute {
  name: FullyQualifiedName;
  expression: string;
}

export interface DeviceRequest {
  name: string;
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
}

export interface DeviceRequestAllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  shareID?: string;
  consumedCapacity?: Record<string, string>;
  skipNodeOperations?: SkipNodeOperation[];
}

export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  allocationMode?: DeviceAllocationMode;
  count?: number;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
  derivedAttributes?: DeviceDerivedAttribute[];
}

export interface DeviceTaint {
  key: string;
  value?: string;
  effect: DeviceTaintEffect;
  timeAdded?: string;
}

export interface DeviceTaintRule extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: DeviceTaintRuleSpec;
  status?: DeviceTaintRuleStatus;
}

export interface DeviceTaintRuleList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: DeviceTaintRule[];
}

export interface DeviceTaintRuleSpec {
  deviceSelector?: DeviceTaintSelector;
  taint: DeviceTaint;
}

export interface DeviceTaintRuleStatus {
  conditions?: metaV1.Condition[];
}

export interface DeviceTaintSelector {
  driver?: string;
  pool?: string;
  device?: string;
}

export interface DeviceToleration {
  key?: string;
  operator?: DeviceTolerationOperator;
  value?: string;
  effect?: DeviceTaintEffect;
  tolerationSeconds?: number;
}

export interface ExactDeviceRequest {
  deviceClassName: string;
  selectors?: DeviceSelector[];
  allocationMode?: DeviceAllocationMode;
  count?: number;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
  derivedAttributes?: DeviceDerivedAttribute[];
}

export interface NetworkDeviceData {
  interfaceName?: string;
  ips?: string[];
  hardwareAddress?: string;
}

export interface NodeAllocatableMapping {
  capacityKey?: QualifiedName;
  capacityMultiplier?: string;
  deviceMultiplier?: string;
}

export interface NodeAllocatableOverhead {
  perPod?: string;
  perContainer?: string;
}

export interface NodeAllocatableResource {
  mapping?: NodeAllocatableMapping;
  overhead?: NodeAllocatableOverhead;
}

export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: unknown;
}

export interface ResourceClaim extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  resource: string;
  name: string;
  uid: string;
}

export interface ResourceClaimList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ResourceClaim[];
}

export interface ResourceClaimSpec {
  devices: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  reservedFor?: ResourceClaimConsumerReference[];
  devices?: AllocatedDeviceStatus[];
}

export interface ResourceClaimTemplate extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ResourceClaimTemplate[];
}

export interface ResourceClaimTemplateSpec {
  metadata: metaV1.ObjectMeta;
  spec: ResourceClaimSpec;
}

export interface ResourcePool {
  name: string;
  generation: number;
  resourceSliceCount: number;
}

export interface ResourceSlice extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ResourceSliceSpec;
}

export interface ResourceSliceList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ResourceSlice[];
}

export interface ResourceSliceSpec {
  driver: string;
  pool: ResourcePool;
  nodeName?: string;
  nodeSelector?: coreV1.NodeSelector;
  allNodes?: boolean;
  devices?: Device[];
  perDeviceNodeSelection?: boolean;
  sharedCounters?: CounterSet[];
  partitionTypeAttribute?: FullyQualifiedName;
  skipNodeOperations?: SkipNodeOperation[];
}
