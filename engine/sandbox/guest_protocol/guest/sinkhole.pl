# Gives a rehearsal a network of its own, in which every address is local and every connection leads here; carries what
# arrives out of the sandbox, where the engine answers in the place of every host. It runs before anything else, as root
# without capabilities: in a namespace of its own it may do all this, and outside of it nothing. It goes on as user 1001,
# which the program can neither stop nor look into.
#
# A connection begins with "T address port\n"; all datagrams share one, which begins with "D\n": length, address and port
# of the destination, address and port of the sender, that many bytes, and answers the other way. "Z\n" says that nothing
# is on its way any more; this process ends once that was heard.
use Config;
my $arm = $Config{archname} !~ /^x86_64/;
my ( $unshare, $set_users, $set_groups, $mount, $unmount ) = $arm ? ( 97, 147, 149, 40, 39 ) : ( 272, 117, 119, 165, 166 );
my ( $receive, $send ) = $arm ? ( 212, 211 ) : ( 47, 46 );
my ( $tcp_port, $udp_port, $path ) = ( 3129, 3130, '/tmp/.pratique' );
my ( $relay, $still_running, $replies, $last, $opened, $still_starting, $unmounting );

sub put {
    my ( $path, $text ) = @_;
    open my $file, '>', $path or return 0;
    return ( syswrite( $file, $text ) || 0 ) == length $text;
}

# Nobody but a process that stays outside can say which users exist inside.
sub own_namespaces {
    pipe my $ears, my $mouth or leave(1);
    my $first  = $$;
    my $helper = fork;
    defined $helper or leave(1);
    if ( !$helper ) {
        sysread $ears, my $word, 1 or leave(1);
        leave( put( "/proc/$first/uid_map", "0 0 1\n1000 1000 2\n" ) && put( "/proc/$first/gid_map", "0 0 1\n1000 1000 1\n" ) ? 0 : 1 );
    }
    syscall( $unshare, 0x50020000 ) and leave(1);    # NEWUSER, NEWNET, NEWNS
    syswrite $mouth, '.';
    waitpid $helper, 0;
    leave(1) if $?;
}

# --- every address is local ----------------------------------------------------------------------------

sub ask_kernel {
    my ( $netlink, $type, $flags, $body ) = @_;
    send $netlink, pack( 'LSSLL', 16 + length $body, $type, $flags | 5, 1, 0 ) . $body, 0 or leave(1);
    sysread $netlink, my $answer, 4096;
    leave(1) if unpack 'x16l', $answer;
}

sub start_loopback {
    socket my $netlink, 16, SOCK_RAW, 0 or leave(1);
    ask_kernel( $netlink, 16, 0, pack 'CCSlLL', 0, 0, 0, 1, 1, 1 );
    for ( [ '127.0.0.1', 8 ], [ '10.0.2.15', 1 ], [ '172.17.0.2', 1 ] ) {
        my $address = pack 'a4', inet_aton( $_->[0] );
        my $body = pack( 'CCCCL', AF_INET, $_->[1], 0, 0, 1 ) . join '', map { pack 'SSa4', 8, $_, $address } 2, 1;
        ask_kernel( $netlink, 20, 0x400, $body );
    }
}

# --- every connection leads here -----------------------------------------------------------------------

sub addresses {
    my ($protocol) = @_;
    my @local = $protocol ? ( inet_aton('127.0.0.0'), inet_aton('255.0.0.0') ) : ( "\0" x 4, "\0" x 4 );
    my $not = $protocol ? 0x10 : 0;
    return pack 'a4a4a4a4a16a16a16a16SCC', '', $local[0], '', $local[1], '', '', '', '', $protocol, 0, $not;
}

sub target {
    my ( $name, $body ) = @_;
    $body .= "\0" x ( -length($body) % 8 );
    return pack( 'Sa29C', 32 + length $body, $name, 0 ) . $body;
}

sub rule {
    my ( $protocol, $match, $target ) = @_;
    my $head = 112 + length $match;
    return addresses($protocol) . pack( 'LSSLQQ', 0, $head, $head + length $target, 0, 0, 0 ) . $match . $target;
}

sub redirect {
    my ( $protocol, $match, $port ) = @_;
    return rule( $protocol, $match, target( 'REDIRECT', pack 'LLa4a4nn', 1, 2, '', '', $port, $port ) );
}

# Datagrams from ephemeral ports, but to 53: answers keep their port only if nothing was redirected.
sub datagrams {
    return pack 'Sa29CSSSSCx7', 48, 'udp', 0, 1024, 65535, @_, 0;
}

sub redirect_all {
    my $accept = rule( 0, '', target( '', pack 'l', -2 ) );
    my @output = ( redirect( 6, '', $tcp_port ), map { redirect( 17, datagrams(@$_), $udp_port ) } [ 1, 52 ], [ 54, 65535 ] );
    my @rules = ( $accept, $accept, @output, $accept, $accept, rule( 0, '', target( 'ERROR', pack 'a32', 'ERROR' ) ) );
    my ( $at, @offsets ) = (0);
    for (@rules) { push @offsets, $at; $at += length }
    my @hooks = ( @offsets[ 0, 1 ], 0, $offsets[2], $offsets[6] );
    my @policies = ( @offsets[ 0, 1 ], 0, @offsets[ 5, 6 ] );
    my $table = pack 'a32L3L5L5LQ', 'nat', 0x1b, scalar @rules, $at, @hooks, @policies, scalar @rules, 0;
    socket my $raw, PF_INET, SOCK_RAW, 255 or leave(1);
    setsockopt $raw, 0, 64, join '', $table, @rules or leave(1);    # IPT_SO_SET_REPLACE
}

# --- datagrams -----------------------------------------------------------------------------------------

my $vector;    # stays where the kernel is told that it is

sub message {
    my ( $name, $data, $control ) = @_;
    $vector = pack 'PQ', $$data, length $$data;
    return pack 'PLx4PQPQlx4', $$name, 16, $vector, 1, $$control, length $$control, 0;
}

sub room {
    my $room = '';
    vec( $room, $_[0] - 1, 8 ) = 0;
    return $room;
}

# Passes on a datagram, with where it was going and where it came from.
sub take_datagram {
    my ( $socket, $port ) = @_;
    my ( $name, $data, $control ) = ( room(16), room(16384), room(64) );
    my $message = message( \$name, \$data, \$control );
    my $size = syscall $receive, fileno $socket, $message, 0;
    return if $size < 0;
    my $to = unpack 'x24a4', $control;
    my ( $from_port, $from ) = unpack 'x2na4', $name;
    syswrite $replies, pack( 'na4na4n', $size, $to, $port, $from, $from_port ) . substr $data, 0, $size;
}

# Answers from the address that was asked.
sub answer {
    my ( $socket, $from, $to, $port, $data ) = @_;
    my $name = pack 'Sna4x8', AF_INET, $port, $to;
    my $control = pack 'QllLa4a4x4', 28, 0, 8, 0, $from, $from;
    my $message = message( \$name, \$data, \$control );
    syscall $send, fileno $socket, $message, 0;
}

sub hear_answers {
    my ( $socket, $heard ) = @_;
    sysread $replies, $$heard, 65536, length $$heard or return delete $ears{ fileno $replies };
    while ( length $$heard >= 14 ) {
        my ( $size, $from, undef, $to, $port ) = unpack 'na4na4n', $$heard;
        return if length $$heard < 14 + $size;
        answer( $socket, $from, $to, $port, substr $$heard, 14, $size );
        substr( $$heard, 0, 14 + $size ) = '';
    }
}

sub listen_for_datagrams {
    my ($port) = @_;
    socket my $socket, PF_INET, SOCK_DGRAM, 0 or leave(1);
    setsockopt $socket, 0, 8, 1;    # IP_PKTINFO
    bind $socket, sockaddr_in( $port, INADDR_ANY ) or leave(1);
    $ears{ fileno $socket } = sub { take_datagram( $socket, $port ) };
    return $socket;
}

# --- carrying it out -----------------------------------------------------------------------------------

# A channel whose other end is in this process.
sub own_channel {
    my ($first) = @_;
    socketpair my $near, my $far, AF_UNIX, SOCK_STREAM, 0 or leave(1);
    fcntl $_, F_SETFL, fcntl( $_, F_GETFL, 0 ) | O_NONBLOCK for $near, $far;
    begin_channel( $far, $first );
    return $near;
}

sub destination {
    my ($socket) = @_;
    my ( $port, $address ) = unpack 'x2na4', getsockopt( $socket, 0, 80 ) || "\0" x 16;    # SO_ORIGINAL_DST
    return sprintf "T %s %d\n", inet_ntoa($address), $port;
}

# Says that nothing is on its way once that has been so for a moment.
sub say_last {
    my ($listener) = @_;
    my $waiting = '';
    vec( $waiting, fileno $_, 1 ) = 1 for $listener, grep { defined } map { $_->{heard} ? undef : $_->{socket} } values %channel;
    return if $last || select $waiting, undef, undef, 0.05;
    delete $ears{ fileno $still_running };
    $last = own_channel("Z\n");
    $ears{ fileno $last } = sub { leave(0) };
}

sub be_relay {
    my ( $listener, $dns, $entrance ) = @_;
    open $_, '<', '/dev/null' for \*STDIN, \*STDOUT, \*STDERR;
    accept my $engine, $entrance or leave(1);
    close $entrance;
    unlink $path;    # only its owner may, in a folder like /tmp; the program comes later
    $) = '1000 1000';
    syscall( $set_groups, 1000, 1000, 1000 ) and leave(1);
    syscall( $set_users,  1001, 1001, 1001 ) and leave(1);
    open STDIN,  '<&', $engine or leave(1);
    open STDOUT, '>&', $engine or leave(1);
    binmode $_ for \*STDIN, \*STDOUT;
    ( $most, $introduce ) = ( 40, \&destination );
    $write = sub { $opened = 1 };
    hear() until $opened;
    send_frame( 'R', 0, 0, '' );
    $replies = own_channel("D\n");
    my $heard = '';
    $ears{ fileno $replies } = sub { hear_answers( $dns, \$heard ) };
    $ears{ fileno $still_running } = sub { say_last($listener) };
    carry($listener);
}

sub contents {
    open my $file, '<', $_[0] or leave(1);
    local $/;
    return scalar <$file>;
}

# Leaves what this process was started with as that of any other sandbox, for whoever reads it in /proc.
sub forget_variable {
    my $environment = join "\0", grep { !/^PRATIQUE_/ } split /\0/, contents('/proc/self/environ');
    my $command = contents('/proc/self/cmdline');
    $0 = "$command$environment";
}

# --- shortened sleeps ----------------------------------------------------------------------------------

# Keeps a descriptor where the program does not come upon it, and not beyond exec.
sub out_of_the_way {
    my $number = fcntl $_[0], 1030, 64 or leave(1);    # F_DUPFD_CLOEXEC
    close $_[0];
    open my $kept, '>&=', $number or leave(1);
    return $kept;
}

# What shortens sleeps comes before the code of a shell, and otherwise into the program that the interpreter starts with.
# That is mounted only until the interpreter has read it: the code finds the image's own.
sub shorten_sleeps {
    my ($sleeps) = @_;
    my ($program) = grep { m{^/opt/pratique/.*\.(py|js)$} } @ARGV or return;
    my $other = '/tmp/.pratique-start';
    my $text = contents($program) =~ s/^(?=import |const )/$sleeps/mr;
    put( $other, $text ) or leave(1);
    syscall( $mount, $other, $program, my $none = 0, 4096, 0 ) and leave(1);    # MS_BIND
    unlink $other;
    pipe my $ears, my $starting or leave(1);
    $unmounting = fork;
    defined $unmounting or leave(1);
    if ( !$unmounting ) {
        close $starting;
        sysread $ears, my $word, 1;
        leave( syscall( $unmount, $program, 2 ) ? 1 : 0 );    # MNT_DETACH
    }
    $still_starting = out_of_the_way($starting);
}

# Takes back what was mounted: the interpreter waits for the code, or will in a moment.
sub interpreter_starts {
    my ( $late, $from_child ) = @_;
    return if !$still_starting;
    my $word;
    sysread $from_child, $word, 1 if $late;
    syswrite $still_starting, '.';
    close $still_starting;
    waitpid $unmounting, 0;
}

# Interpreters read whom to trust when they start.
sub begin {
    my ( $authority, $sleeps ) = @_;
    put( '/tmp/.pratique-trusted.pem', $authority ) or leave(1);
    forget_variable();
    own_namespaces();
    shorten_sleeps($sleeps);
    start_loopback();
    redirect_all();
    socket my $listener, PF_INET, SOCK_STREAM, 0 or leave(1);
    bind $listener, sockaddr_in( $tcp_port, INADDR_ANY ) or leave(1);
    listen $listener, 128 or leave(1);
    socket my $entrance, AF_UNIX, SOCK_STREAM, 0 or leave(1);
    bind $entrance, sockaddr_un($path) or leave(1);
    chmod 0777, $path;
    listen $entrance, 1 or leave(1);
    pipe $still_running, my $running or leave(1);
    my $dns = listen_for_datagrams(53);
    listen_for_datagrams($udp_port);
    $SIG{PIPE} = 'IGNORE';
    $relay = fork;
    defined $relay or leave(1);
    if ( !$relay ) { close $running; be_relay( $listener, $dns, $entrance ) }
    close $_ for $listener, $entrance, $still_running;
    %ears = ();
    $still_running = out_of_the_way($running);
    return 1;
}

# Returns whether anything of the program still runs: the other processes here are of other users.
sub goes_on { return grep { ( ( stat $_ )[4] // 0 ) == 1000 } glob '/proc/[1-9]*' }

# Lets what the program left behind do its work, and what is on its way arrive: for a few seconds at most.
sub finish {
    for ( 1 .. 20 ) {
        last if !goes_on();
        select undef, undef, undef, 0.05;
    }
    close $still_running;
    for ( 1 .. 60 ) {
        return if waitpid( $relay, 1 );
        select undef, undef, undef, 0.05;
    }
}

begin( $rehearsing, $sleeps );
