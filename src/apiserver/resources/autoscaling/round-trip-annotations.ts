import type { ObjectMeta } from "#/api/meta/v1.ts";

/** Annotations for fields that v1 lacks. Upstream: pkg/apis/autoscaling/{annotations,helpers}.go. */
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

/** Drops these annotations from versions that have the fields. */
export function dropRoundTripAnnotations(metadata: ObjectMeta): void {
  const { annotations } = metadata;
  if (!annotations || !roundTrip.some((key) => Object.hasOwn(annotations, key))) return;
  for (const key of roundTrip) delete annotations[key];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}
