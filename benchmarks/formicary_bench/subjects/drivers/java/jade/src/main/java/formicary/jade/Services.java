package formicary.jade;

import formicary.lab.Job;
import jade.core.AID;
import jade.core.Agent;
import jade.domain.DFService;
import jade.domain.FIPAAgentManagement.DFAgentDescription;
import jade.domain.FIPAAgentManagement.ServiceDescription;
import jade.domain.FIPAException;
import java.util.concurrent.CountDownLatch;

/**
 * Registers services with the directory facilitator, each under a name of its own: an agent has only one entry there.
 *
 * Its arguments: the latch to count down when all are registered, and the job.
 */
public final class Services extends Agent {
    private static final int BETWEEN_REPORTS = 50;

    @Override
    protected void setup() {
        Job job = (Job) getArguments()[1];
        try {
            for (int number = job.offered[0]; number < job.offered[1]; number++) {
                String name = "service-" + number;
                DFService.register(this, describe(new AID(name, AID.ISLOCALNAME), name, job.typeOf(number)));
                if (number % BETWEEN_REPORTS == 0) {
                    job.progress.accept(number - job.offered[0] + 1);
                }
            }
        } catch (FIPAException error) {
            throw new IllegalStateException(error);
        }
        ((CountDownLatch) getArguments()[0]).countDown();
    }

    /** Return the entry of an agent with one service. */
    static DFAgentDescription describe(AID agent, String name, String type) {
        ServiceDescription service = new ServiceDescription();
        service.setType(type);
        service.setName(name);
        DFAgentDescription entry = new DFAgentDescription();
        entry.setName(agent);
        entry.addServices(service);
        return entry;
    }
}
