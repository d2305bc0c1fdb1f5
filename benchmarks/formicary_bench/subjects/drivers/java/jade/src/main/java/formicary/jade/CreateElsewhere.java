package formicary.jade;

import jade.content.lang.sl.SLCodec;
import jade.content.onto.basic.Action;
import jade.core.AID;
import jade.core.ContainerID;
import jade.domain.FIPANames;
import jade.domain.JADEAgentManagement.CreateAgent;
import jade.domain.JADEAgentManagement.JADEManagementOntology;
import jade.lang.acl.ACLMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Asks the agent management system to create agents in another container, each by a request. */
public final class CreateElsewhere extends Conductor {
    private int made;

    @Override
    protected void begin() {
        getContentManager().registerLanguage(new SLCodec(0), FIPANames.ContentLanguage.FIPA_SL0);
        getContentManager().registerOntology(JADEManagementOntology.getInstance());
    }

    @Override
    protected long make(int size, IntConsumer step) throws Exception {
        List<AID> agents = new ArrayList<>();
        long began = System.nanoTime();
        for (int number = 0; number < size; number++) {
            String name = "created-" + made++;
            request(name);
            agents.add(new AID(name, AID.ISLOCALNAME));
            if (!job.isAtOnce()) {
                await();
                step.accept(1);
            }
        }
        for (int left = job.isAtOnce() ? size : 0; left > 0; left--) {
            await();
            step.accept(1);
        }
        long took = System.nanoTime() - began;
        sweep(agents);
        return took;
    }

    private void request(String name) throws Exception {
        CreateAgent create = new CreateAgent();
        create.setAgentName(name);
        create.setClassName(Guest.class.getName());
        create.setContainer(new ContainerID(places.get(0), null));
        ACLMessage message = new ACLMessage(ACLMessage.REQUEST);
        message.addReceiver(getAMS());
        message.setLanguage(FIPANames.ContentLanguage.FIPA_SL0);
        message.setOntology(JADEManagementOntology.NAME);
        getContentManager().fillContent(message, new Action(getAMS(), create));
        send(message);
    }
}
