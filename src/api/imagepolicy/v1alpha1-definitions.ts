import type * as metaV1 from "../meta/v1-definitions.ts";

export interface ImageReview extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ImageReviewSpec;
  status?: ImageReviewStatus;
}

export interface ImageReviewContainerSpec {
  image?: string;
}

export interface ImageReviewSpec {
  containers?: ImageReviewContainerSpec[];
  annotations?: Record<string, string>;
  namespace?: string;
}

export interface ImageReviewStatus {
  allowed: boolean;
  reason?: string;
  auditAnnotations?: Record<string, string>;
}
