import type * as metaV1 from "../meta/v1-definitions.ts";
import type * as authenticationV1 from "./v1-definitions.ts";

export interface SelfSubjectReview extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: authenticationV1.UserInfo;
}
