import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import { organizationsOf } from "#/std/x509/subject.ts";
import { admissionPlugin } from "../../base/admission-plugin.ts";
import { forbid } from "../../base/forbid.ts";
import { readRequestSubject } from "../../base/request-subject.ts";

const signer = "kubernetes.io/kube-apiserver-client";
const masters = "system:masters";

/** No client certificate for system:masters. Upstream: plugin/pkg/admission/certificates/subjectrestriction/admission.go. */
export const certificateSubjectRestriction = admissionPlugin({
  name: "CertificateSubjectRestriction",
  on: certificateSigningRequests,
  operations: ["CREATE"],
  validate(attributes) {
    const { signerName, request } = attributes.object.spec;
    if (signerName !== signer) return;
    const subject = readRequestSubject(request, (reason) =>
      forbid(attributes, `failed to parse CSR: ${reason}`),
    );
    if (!organizationsOf(subject).includes(masters)) return;
    throw forbid(attributes, `use of ${signer} signer with ${masters} group is not allowed`);
  },
});
