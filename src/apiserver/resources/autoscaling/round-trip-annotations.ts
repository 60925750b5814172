import type { ObjectMeta } from "#/api/meta/v1.ts";

/** What v1 has no fields for stands in these annotations. Upstream: pkg/apis/autoscaling/{annotations,helpers}.go. */
const prefix = "autoscaling.alpha.kubernetes.io/";
export const metricsAnnotation: string = `${prefix}metrics`;
export const currentMetricsAnnotation: string = `${prefix}current-metrics`;
export const conditionsAnnotation: string = `${prefix}conditions`;
export const behaviorAnnotation: string = `${prefix}behavior`;

const roundTrip = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
];

/** Takes such annotations away, from where there are fields for them. */
export function dropRoundTripAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata;
  if (!annotations || !roundTrip.some((key) => Object.hasOwn(annotations, key))) return;
  for (const key of roundTrip) delete annotations[key];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
