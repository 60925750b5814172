import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.CopyOnWriteArrayList;

/** fabric8's Java client against the cluster of $KUBECONFIG: an informer, edits, server-side apply, scale, errors. */
public final class ClientJava {
  private static final String NAMESPACE = "client-java";

  public static void main(String[] args) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      client.namespaces()
          .resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
          .create();
      try {
        List<String> seen = followConfigMap(client);
        scaleDeployment(client);
        System.out.println("ok: " + String.join(", ", seen));
      } finally {
        client.namespaces().withName(NAMESPACE).delete();
      }
    }
  }

  private static List<String> followConfigMap(KubernetesClient client) throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    CountDownLatch three = new CountDownLatch(3);
    try (SharedIndexInformer<ConfigMap> informer =
        client.configMaps().inNamespace(NAMESPACE).inform(new ResourceEventHandler<>() {
          private void note(String event, ConfigMap map) {
            // A controller puts another one into every namespace.
            if (!map.getMetadata().getName().equals("a")) return;
            seen.add(event);
            three.countDown();
          }

          @Override public void onAdd(ConfigMap map) { note("add", map); }
          @Override public void onUpdate(ConfigMap old, ConfigMap map) { note("update", map); }
          @Override public void onDelete(ConfigMap map, boolean unknown) { note("delete", map); }
        })) {
      var maps = client.configMaps().inNamespace(NAMESPACE);
      maps.resource(new ConfigMapBuilder().withNewMetadata().withName("a").endMetadata()
          .addToData("k", "1").build()).create();
      maps.withName("a").edit(map -> new ConfigMapBuilder(map).addToData("k", "2").build());
      check(maps.withName("a").get().getData().equals(Map.of("k", "2")), "the edit was lost");
      maps.withName("a").delete();
      check(three.await(30, TimeUnit.SECONDS), "the informer saw only " + seen);
      check(maps.withName("a").get() == null, "a deleted object was read");
    }
    check(seen.equals(List.of("add", "update", "delete")), "the informer saw " + seen);
    return seen;
  }

  private static void scaleDeployment(KubernetesClient client) {
    Map<String, String> labels = Map.of("app", "web");
    Deployment web = new DeploymentBuilder()
        .withNewMetadata().withName("web").withNamespace(NAMESPACE).endMetadata()
        .withNewSpec()
        .withNewSelector().withMatchLabels(labels).endSelector()
        .withNewTemplate()
        .withNewMetadata().withLabels(labels).endMetadata()
        .withNewSpec().addNewContainer().withName("c").withImage("i").endContainer().endSpec()
        .endTemplate()
        .endSpec().build();
    Deployment applied = client.resource(web).fieldManager("client-java").serverSideApply();
    check(applied.getSpec().getReplicas() == 1, "no default for replicas");
    client.apps().deployments().inNamespace(NAMESPACE).withName("web").scale(3);
    int replicas = client.apps().deployments().inNamespace(NAMESPACE).withName("web").get()
        .getSpec().getReplicas();
    check(replicas == 3, "scale was lost");
  }

  private static void check(boolean holds, String message) {
    if (!holds) throw new AssertionError(message);
  }
}
