import { type APIService, apiServices } from "#/api/apiregistration/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { availability, localCondition } from "./condition.ts";
import {
  validateApiService,
  validateApiServiceUpdate,
  validateStatusUpdate,
} from "./validate-api-service.ts";

/** Upstream: staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice/{strategy.go,etcd/etcd.go}. */
export const apiService = serve(apiServices, {
  storageName: "apiregistration.k8s.io/apiservices",
  allowUnconditionalUpdate: false,
  setDefaults({ spec: { service } }) {
    if (service) service.port ??= 443;
  },
  prepareForCreate(object, { now }) {
    object.status = object.spec.service ? {} : { conditions: [localCondition(formatTime(now))] };
  },
  prepareForUpdate: keepStatus,
  validate: validateApiService,
  validateUpdate: validateApiServiceUpdate,
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      keepMetadata(object, old);
    },
    validateUpdate: validateStatusUpdate,
    resetFields: ["spec", "metadata"],
  },
  columns: [
    nameColumn,
    { name: "Service", type: "string", cell: formatService },
    { name: "Available", type: "string", cell: formatAvailability },
    ageColumn,
  ],
});

const keptMetadata = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

function keepMetadata({ metadata }: Decoded<APIService>, old: Decoded<APIService>): void {
  for (const field of keptMetadata) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: deepCopy(old.metadata[field]) });
  }
}

function formatService({ spec: { service } }: APIService): string {
  return service ? `${service.namespace}/${service.name}` : "Local";
}

function formatAvailability(object: APIService): string {
  const { status = "Unknown", reason = "" } = availability(object) ?? {};
  return status === "True" || reason === "" ? status : `${status} (${reason})`;
}
