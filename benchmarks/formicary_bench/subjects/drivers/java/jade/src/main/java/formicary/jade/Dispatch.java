package formicary.jade;

import jade.core.AID;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Creates agents here, and has them move to another container. */
public final class Dispatch extends Conductor {
    private int made;

    @Override
    protected long make(int size, IntConsumer step) throws Exception {
        List<AID> agents = new ArrayList<>();
        for (int number = 0; number < size; number++) {
            String name = "dispatched-" + made++;
            Object[] given = {getAID(), job.body()};
            getContainerController().createNewAgent(name, Dispatched.class.getName(), given).start();
            agents.add(new AID(name, AID.ISLOCALNAME));
        }
        for (int left = size; left > 0; left--) {
            await(); // until all of them wait
        }
        long began = System.nanoTime();
        for (AID agent : agents) {
            ask(agent, places.get(0));
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
}
