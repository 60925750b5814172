import { connectionFailure } from "../../facts/connection-failure.ts";
import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const volumeServer = mountCause({
  name: "volume-server-unreachable",
  texts:
    /(?:nfs|iscsi|ceph|rbd|cifs|smb|portal|mount\.\w+).*(?:connection refused|timed? ?out|no route|unreachable|no such host|resolve|access denied)/is,
  explain: (_match, failure) => ({
    sentence: `the server of its volume${volumeText(failure)} cannot be used: ${/access denied/i.test(failure.text) ? "it denies access" : (connectionFailure(failure.text) ?? "it does not answer")}`,
    fix: ["# check the server's address and export, and the node's route to it"],
  }),
});
