import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { AwsClient } from "../client/aws-client.ts";
import type { GlobalConfig } from "../config/cloud-config.ts";
import type { AwsMetrics } from "./aws-metrics.ts";
import type { ClusterTags } from "./cluster-tags.ts";
import type { InstanceDirectory } from "./instance-directory.ts";
import type { ZoneCache } from "./zone-cache.ts";

/** The machine that the program runs on, or the settings that replace it. */
export interface SelfInstance {
  /** Its private DNS name; "master-dummy" if the program runs outside the cluster's account. */
  readonly nodeName: string;
  readonly instanceId: string;
  readonly zone: string;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly instanceType: string;
}

/** What the parts of the provider share. */
export interface AwsCloud {
  readonly client: AwsClient;
  readonly config: GlobalConfig;
  readonly region: string;
  readonly vpcId: string;
  readonly self: SelfInstance;
  readonly tags: ClusterTags;
  readonly instances: InstanceDirectory;
  readonly zones: ZoneCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AwsMetrics;
  /** Events of the source "aws-cloud-provider". */
  readonly recorder: EventRecorder;
}
