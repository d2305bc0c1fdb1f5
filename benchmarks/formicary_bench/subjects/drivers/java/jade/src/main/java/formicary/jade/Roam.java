package formicary.jade;

import jade.core.AID;
import java.util.function.IntConsumer;

/** Sends an agent off to visit containers, again and again. */
public final class Roam extends Conductor {
    private static volatile IntConsumer steps = done -> {};

    private final AID traveller = new AID("traveller", AID.ISLOCALNAME);

    /** Note that the traveller has come to a container of this process, which is every other one. */
    static void arrived() {
        steps.accept(2);
    }

    @Override
    protected void begin() {
        Object[] given = {places.toArray(new String[0]), job.body()};
        try {
            getContainerController().createNewAgent("traveller", Traveller.class.getName(), given).start();
        } catch (jade.wrapper.StaleProxyException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    protected long make(int size, IntConsumer step) {
        steps = step;
        long began = System.nanoTime();
        ask(traveller, Integer.toString(size));
        await();
        return System.nanoTime() - began;
    }
}
