import { mountCause, volumeText } from "../../facts/mount-failure.ts";

/** Of a kind that a kubelet no longer has, such as gitRepo. */
export const volumePluginAbsent = mountCause({
  name: "volume-plugin-absent",
  texts: /no volume plugin matched/,
  explain: (_, failure, { spec }) => ({
    sentence: `cannot attach or mount its volume${volumeText(failure)}: the kubelet of node ${spec.nodeName} has no plugin for volumes of this kind`,
    fix: ["kubectl explain pod.spec.volumes"],
  }),
});
