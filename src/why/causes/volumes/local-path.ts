import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const localPathMissing = mountCause({
  name: "local-volume-path",
  texts: /path "([^"]+)" does not exist|stat (\S+): no such file or directory/,
  explain: ([, path, other], failure, { spec }) => ({
    sentence: `its volume${volumeText(failure)} needs the path ${path ?? other} on node ${spec.nodeName}, which does not exist`,
    fix: ["# make the directory on the node, or correct the PersistentVolume"],
  }),
});
