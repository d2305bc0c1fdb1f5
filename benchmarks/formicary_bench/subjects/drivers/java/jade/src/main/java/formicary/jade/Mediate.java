package formicary.jade;

import jade.core.AID;
import java.util.function.IntConsumer;

/** Asks a coordinator, which has one agent fetch something and another one print it; round after round. */
public final class Mediate extends Conductor {
    private final AID coordinator = new AID("coordinator", AID.ISLOCALNAME);

    @Override
    protected void begin() {
        try {
            for (Class<?> kind : new Class<?>[] {Fetcher.class, Printer.class, Coordinator.class}) {
                String name = kind.getSimpleName().toLowerCase();
                getContainerController().createNewAgent(name, kind.getName(), null).start();
            }
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    protected long make(int size, IntConsumer step) {
        long began = System.nanoTime();
        for (int number = 0; number < size; number++) {
            ask(coordinator, null);
            await();
            step.accept(1);
        }
        return System.nanoTime() - began;
    }
}
