import type * as metaV1 from "../meta/v1-definitions.ts";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export interface CELDeviceSelector {
  expression: string;
}

export interface DeviceSelector {
  cel?: CELDeviceSelector;
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

export interface PartitionTypeStatus {
  attribute: string;
  type: string;
  total: number;
  allocatable: number;
}

export interface PoolStatus {
  driver: string;
  poolName: string;
  generation: number;
  resourceSliceCount?: number;
  totalDevices?: number;
  allocatedDevices?: number;
  availableDevices?: number;
  unavailableDevices?: number;
  nodeName?: string;
  validationError?: string;
  partitionSummary?: PartitionTypeStatus[];
  shareableSummary?: ShareableSummaryStatus;
}

export interface ResourcePoolStatusRequest extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ResourcePoolStatusRequestSpec;
  status?: ResourcePoolStatusRequestStatus;
}

export interface ResourcePoolStatusRequestList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ResourcePoolStatusRequest[];
}

export interface ResourcePoolStatusRequestSpec {
  driver: string;
  poolName?: string;
  limit?: number;
  defaultPartitionTypeAttribute?: string;
}

export interface ResourcePoolStatusRequestStatus {
  poolCount: number;
  pools?: PoolStatus[];
  conditions?: metaV1.Condition[];
}

export interface ShareableCapacityStatus {
  name: string;
  total: string;
  consumed: string;
  available: string;
}

export interface ShareableSummaryStatus {
  fullyAvailableDevices: number;
  partiallyAvailableDevices: number;
  capacity?: ShareableCapacityStatus[];
}
