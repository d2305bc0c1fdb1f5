package formicary.jade;

import formicary.lab.Job;
import jade.domain.DFService;
import jade.domain.FIPAAgentManagement.DFAgentDescription;
import jade.domain.FIPAAgentManagement.SearchConstraints;
import jade.domain.FIPAAgentManagement.ServiceDescription;
import jade.domain.FIPAException;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Uses the directory facilitator, one use after the other, by JADE's `DFService`. What a change has changed is taken
 * back outside of the time.
 *
 * Its arguments are those of `Ask`, and the job.
 */
public final class UseDirectory extends Conversing {
    private static final SearchConstraints ALL = new SearchConstraints();

    static {
        ALL.setMaxResults(-1L); // as many as there are, up to JADE's limit of 100
    }

    private Job job;
    private List<Integer> types;
    private int searched;

    @Override
    protected void setup() {
        super.setup();
        job = (Job) getArguments()[5];
        types = IntStream.range(0, job.types).boxed().collect(Collectors.toList());
        Collections.shuffle(types, new Random(job.seed));
    }

    @Override
    protected void begin() {
        try {
            while (use()) {}
        } catch (FIPAException error) {
            throw new IllegalStateException(error);
        }
        endRound();
    }

    /** Use it once, and return whether it is to be used again. */
    private boolean use() throws FIPAException {
        DFAgentDescription mine = Services.describe(getAID(), "measured", "measured");
        switch (job.experiment) {
            case "directory/register" -> {
                times.begin();
                DFService.register(this, mine);
                boolean goesOn = times.end();
                DFService.deregister(this, mine);
                return goesOn;
            }
            case "directory/deregister" -> {
                DFService.register(this, mine);
                times.begin();
                DFService.deregister(this, mine);
                return times.end();
            }
            default -> {
                return search(types.get(searched++ % types.size()));
            }
        }
    }

    private boolean search(int type) throws FIPAException {
        times.begin();
        ServiceDescription service = new ServiceDescription();
        service.setType(job.typeOf(type));
        DFAgentDescription wanted = new DFAgentDescription();
        wanted.addServices(service);
        DFAgentDescription[] found = DFService.search(this, wanted, ALL);
        boolean goesOn = times.end();
        if (found.length != job.ofType(type)) {
            throw new IllegalStateException(
                    "a search has found " + found.length + " services of " + job.ofType(type));
        }
        return goesOn;
    }
}
